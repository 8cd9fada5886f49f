import type { Diagnostic } from '@ext/kernel'
import { matchReading } from '../../rule/match.js'
import { readCall } from '../../rule/reading.js'
import type { LintRule } from '../rules.js'
import { faultAt, named } from './check.js'

/**
 * Other commands that do what a denied one does. A deny rule about the key is meant for them too. Gathered from manual
 * pages, and from the finding that most deny lists in use can be passed by such commands (arXiv 2606.15549).
 */
const EQUIVALENTS: Readonly<Record<string, readonly string[]>> = {
  curl: [
    'wget -qO- https://x.example',
    'http https://x.example',
    'aria2c https://x.example',
    'lynx -dump https://x.example',
  ],
  wget: ['curl -O https://x.example', 'aria2c https://x.example', 'axel https://x.example'],
  rm: ['unlink a', 'shred -u a', 'find a -delete', 'git clean -fd', 'rsync -a --delete a/ b/', 'truncate -s 0 a'],
  'rm -rf': ['find a -delete', 'git clean -fdx', 'rsync -a --delete a/ b/'],
  sudo: ['doas id', 'su -c id', 'pkexec id', 'run0 id'],
  ssh: ['scp a h:b', 'sftp h', 'rsync a h:b', 'mosh h'],
  scp: ['rsync a h:b', 'sftp h', 'ssh h cat a'],
  nc: ['ncat h 80', 'socat - TCP:h:80', 'telnet h 80'],
  kill: ['pkill node', 'killall node', 'fuser -k 3000/tcp'],
  chmod: ['install -m 777 a b', 'setfacl -m u:x:rwx a'],
  cat: ['head a', 'tail a', 'less a', 'more a', 'sed -n p a', 'awk 1 a', 'nl a', 'tac a', 'grep -h x a', 'cut -c1- a'],
  mv: ['cp a b', 'install a b', 'rsync --remove-source-files a b'],
  docker: ['podman run x', 'nerdctl run x', 'docker-compose up'],
  'npm publish': ['pnpm publish', 'yarn publish', 'yarn npm publish', 'bun publish'],
  'npm install': ['npm i x', 'npm add x', 'pnpm add x', 'yarn add x', 'bun add x'],
  'pip install': ['uv pip install x', 'pip3 install x', 'pipx install x', 'poetry add x', 'uv add x'],
  'git push': ['git send-pack h main', 'gh repo sync', 'git-push'],
  'git commit': ['git commit-tree x', 'git am x', 'git cherry-pick x', 'git merge x', 'git revert x'],
  'git reset --hard': [
    'git checkout -f',
    'git restore --source=HEAD .',
    'git checkout -- .',
    'git read-tree -u --reset HEAD',
  ],
  'git checkout': ['git switch main', 'git restore a'],
  'terraform apply': ['tofu apply', 'terragrunt apply', 'terraform destroy'],
  'kubectl delete': ['helm uninstall x', 'kubectl replace --force -f a', 'oc delete pod x'],
  reboot: ['shutdown -r now', 'systemctl reboot', 'init 6'],
  shutdown: ['poweroff', 'halt', 'systemctl poweroff'],
}

/** Deny rules whose purpose an allow rule defeats by other words. */
export function equivalents(rules: readonly LintRule[]): readonly Diagnostic[] {
  const strict = rules.filter(({ effect }) => effect !== 'allow')
  const allows = rules.filter(
    (rule) => rule.effect === 'allow' && (rule.about === 'command' || rule.rule.tool === 'Bash'),
  )
  return strict.flatMap((subject) => {
    if (subject.effect !== 'deny' || subject.about !== 'command') return []
    const denied = subject.rule.specifier?.replace(/[ :]?\*$/, '') ?? ''
    const others = Object.hasOwn(EQUIVALENTS, denied) ? EQUIVALENTS[denied] : undefined
    for (const command of others ?? []) {
      const call = { tool: { name: 'Bash', source: { tool: 'Bash' } }, input: { command } }
      const reading = readCall(call, subject.compiled.context)
      if (strict.some(({ compiled }) => matchReading(compiled, reading))) continue
      const opener = allows.find(({ compiled }) => matchReading(compiled, reading))
      if (!opener) continue
      return [
        faultAt(subject, {
          code: 'permission.lint.equivalent',
          message: `The ${named(subject)} can be passed: \`${command}\` does the like, and the ${named(opener)} lets it run.`,
          hint: 'Deny what does the like as well, or narrow the allow rule.',
          related: { message: 'the rule that lets it run', source: opener.at() },
        }),
      ]
    }
    return []
  })
}
