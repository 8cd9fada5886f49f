import { patternWords } from '../rules.js'
import { type Check, named } from './check.js'

const list = (text: string): readonly string[] => text.split(/\s+/)

/** What follows them is a program of its own. */
const INTERPRETERS = new Set(
  list(`python python2 python3 node nodejs deno bun ruby perl php lua tclsh Rscript R osascript pwsh powershell bash sh
  zsh dash ksh fish eval source tsx ts-node irb ipython jshell groovy`),
)

/** What follows them is another command. */
const RUNNERS = new Set(
  list(`npx pnpx bunx uvx pipx sudo doas su env xargs nohup timeout nice command exec ssh parallel watch setsid stdbuf strace
  flock chroot unshare nsenter busybox script expect`),
)

/** The same, behind a sub-command. What `npm run` runs is a script of the project, so it is not among them. */
const RUNNING_SUBCOMMANDS = new Set(
  list(`npm:exec npm:x pnpm:exec pnpm:dlx yarn:exec yarn:dlx bun:x uv:run poetry:run pipenv:run conda:run bundle:exec
  docker:exec docker:run kubectl:exec nix:run devbox:run mise:exec direnv:exec deno:run`),
)

export const tooBroad: Check = (subject) => {
  const { effect, rule } = subject
  if (effect !== 'allow') return undefined
  const { tool, specifier } = rule
  const fault = (what: string, hint: string) =>
    ({ code: 'permission.lint.too-broad', message: `The ${named(subject)} ${what}.`, hint }) as const

  if (tool === 'Bash' && (specifier === undefined || /^[\s:]*\*+$/.test(specifier))) {
    return fault('lets every command run', 'Name the commands: `Bash(git status *)`, `Bash(npm test *)`.')
  }
  if (subject.about === 'command' && specifier !== undefined) return broadCommand(specifier, tool, fault)
  if (subject.about === 'path' && specifier !== undefined && /^(?:\/\/|~\/|\/)\**(?:\/\*+)*$/.test(specifier)) {
    return fault(
      'opens everything below the root, home or settings, keys and secrets too',
      'Name folders: `Read(~/notes/**)`.',
    )
  }
  const [, domain] = /^domain:(.+)$/.exec(specifier ?? '') ?? []
  if (
    domain !== undefined &&
    /^(?:\*\.)?\*?(?:\.[a-z]{2,})?$|^\*\.(?:co|com|org|net|ac|gov)\.[a-z]{2}$/i.test(domain.trim())
  ) {
    return fault(
      'opens every host, or all of a top-level domain',
      'Name the hosts: `WebFetch(domain:docs.example.com)`.',
    )
  }
  return undefined
}

function broadCommand(
  specifier: string,
  tool: string,
  fault: (what: string, hint: string) => ReturnType<Check>,
): ReturnType<Check> {
  const words = patternWords(specifier)
  const [first = '', second = ''] = words
  const name = first.slice(first.lastIndexOf('/') + 1)
  const open = /\*$/.test(specifier)
  if (first.startsWith('*')) {
    return fault(
      'begins with a wildcard, so any program may stand there',
      `Name the program: \`${tool}(npm ${second || 'run'} *)\`.`,
    )
  }
  if (words.length === 1 && /^[\w./-]*\w\*$/.test(specifier)) {
    const program = specifier.slice(0, -1)
    return fault(
      `also speaks about other programs whose names begin with \`${program}\``,
      `Write \`${tool}(${program} *)\`.`,
    )
  }
  if (!open) return undefined
  const program = name.replace(/[\d.]+$/, '') || name
  const rest = words.slice(1)
  const onlyOptions = rest.every((word) => word.startsWith('-'))
  if (INTERPRETERS.has(program) && onlyOptions && !isHarmless(program, rest)) {
    return fault(
      `lets any code run, since \`${name}\` is an interpreter`,
      `Name the script: \`${tool}(${name} scripts/check.js *)\`.`,
    )
  }
  if (RUNNERS.has(program) && onlyOptions && !isHarmless(program, rest)) {
    return fault(`is as wide as every command, since \`${name}\` runs what follows it`, NAME_WHAT_RUNS)
  }
  if (RUNNING_SUBCOMMANDS.has(`${program}:${second}`) && words.length === 2) {
    return fault(`is as wide as every command, since \`${name} ${second}\` runs what follows it`, NAME_WHAT_RUNS)
  }
  return undefined
}

const NAME_WHAT_RUNS = 'Name what it runs as well, or leave it to be asked.'

/** `node --test` runs the tests of the project, `command -v` and `python --version` run nothing. */
function isHarmless(program: string, options: readonly string[]): boolean {
  return (
    options.some((option) => /^--(?:test|version|help)$/.test(option)) || (program === 'command' && options[0] === '-v')
  )
}
