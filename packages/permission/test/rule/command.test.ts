import { describe, expect, test } from 'vitest'
import { command, compiled, file, matches, plainTool } from './support.js'

const allow = { effect: 'allow' } as const
const deny = { effect: 'deny' } as const

describe('a command rule', () => {
  test.each([
    ['Bash(ls *)', 'ls', true],
    ['Bash(ls *)', 'ls -l', true],
    ['Bash(ls *)', 'ls   -l', true],
    ['Bash(ls *)', 'lsof', false],
    ['Bash(ls:*)', 'ls', true],
    ['Bash(ls:*)', 'ls -l', true],
    ['Bash(ls:*)', 'lsof', false],
    ['Bash(ls*)', 'ls', true],
    ['Bash(ls*)', 'lsof', true],
    ['Bash(npm run build)', 'npm run build', true],
    ['Bash(npm run build)', 'npm run build:prod', false],
    ['Bash(npm run build)', 'npm run build --x', false],
    ['Bash(npm run test:*)', 'npm run test', true],
    ['Bash(npm run test:*)', 'npm run test a', true],
    ['Bash(npm run test:*)', 'npm run test:unit', false],
    ['Bash(pnpm * build)', 'pnpm --filter a build', true],
    ['Bash(pnpm * build)', 'pnpm build', false],
    ['Bash(pnpm * build)', 'pnpm a build b', false],
    ['Bash(pnpm * build *)', 'pnpm a builder build', true],
    ['Bash(pnpm * build *)', 'pnpm a build b', true],
    ['Bash(pnpm * build *)', 'pnpm a builder', false],
    ['Bash(a:* b)', 'a:x b', true],
    ['Bash(a:* b)', 'a x b', false],
    ['Bash(*)', 'ls -l', true],
    ['Bash', 'ls -l', true],
    ['Bash( * )', 'ls -l', true],
    ['Bash(:*)', 'ls -l', true],
  ])('%s on `%s`: %s, as allow and as deny', (rule, line, expected) => {
    expect(matches(rule, command(line), allow)).toBe(expected)
    expect(matches(rule, command(line), deny)).toBe(expected)
  })

  test.each([
    ['Bash(cat ~/.ssh/*)', 'cat ~/.ssh/id_rsa'],
    ['Bash(cat ~/.ssh/*)', 'cat /home/u/.ssh/id_rsa'],
    ['Bash(ls ~/code:*)', 'ls ~/code -la'],
    ['Bash(ls ~:*)', 'ls ~ -la'],
    ['Bash(ls ~/code:*)', 'ls "$HOME/code"'],
    ['Bash(ls $HOME/code:*)', 'ls ~/code'],
    ['Bash(ls "${HOME}/my code" *)', 'ls ~/"my code"'],
    ['Bash(~/bin/x:*)', '~/bin/x a'],
    ['Bash(make PREFIX=$HOME/.local *)', 'make PREFIX=$HOME/.local install'],
  ])('%s is about the home folder, so it speaks about `%s`, as allow and as deny', (rule, line) => {
    expect(matches(rule, command(line), allow)).toBe(true)
    expect(matches(rule, command(line), deny)).toBe(true)
  })

  test('a home folder in a rule that allows is that folder, and not a name that only looks like it', () => {
    expect(matches('Bash(ls ~/code)', command("ls '~/code'"), allow)).toBe(false)
    expect(matches("Bash(ls '~/code')", command("ls '~/code'"), allow)).toBe(true)
    expect(matches("Bash(ls '~/code')", command('ls ~/code'), allow)).toBe(false)
    expect(matches('Bash(ls a~/code)', command('ls a~/code'), allow)).toBe(true)
    expect(matches('Bash(ls $HOMEPAGE)', command('ls /home/uPAGE'), allow)).toBe(false)
  })

  test.each([allow, deny])('`bash(rm:*)` is about no field `rm`: it is told how the tool is called', (direction) => {
    const problem = { problem: 'parentheses after `bash` are not understood', hint: 'Did you mean `Bash`?' }
    expect(compiled('bash(rm:*)', direction).problem).toEqual(problem)
  })

  test('an allow rule takes a command as its program gets it', () => {
    expect(matches('Bash(git commit *)', command(`git commit -m "a; b | c"`), allow)).toBe(true)
    expect(matches('Bash(git commit *)', command(`git commit -m 'it costs $5 \\ and more'`), allow)).toBe(true)
    expect(matches('Bash(echo *)', command('echo "日本語 ✓ naïve"'), allow)).toBe(true)
    expect(matches('Bash(git commit *)', command('git "commit" -m x'), allow)).toBe(true)
    expect(matches('Bash(git commit *)', command('git "commit -m x"'), allow)).toBe(false)
  })

  test.each([
    'ls && ls -l',
    'ls; ls',
    'ls | ls',
    'ls & ls',
    'ls\nls',
    '(ls; ls)',
    '{ ls; }',
    'ls "$(ls)"',
    'if ls; then ls; fi',
    'for f in a b; do ls $f; done',
    'ls <<E\ntext\nE',
    'ls < f',
    'ls 2> /dev/null',
    'ls # a comment',
    'ls {a,b}',
    'ls \\-l',
    'time ls',
    'timeout 5 ls',
    'X=1; ls',
    'cd x && ls',
  ])('allows %j, of which every command is `ls`', (line) => {
    expect(matches('Bash(ls *)', command(line), allow)).toBe(true)
    expect(matches('Bash(cat *)', command(line), allow)).toBe(false)
  })

  test.each([
    'ls && id',
    'ls | sh',
    'ls\nid',
    'ls & id',
    '(ls; id)',
    'ls $(id)',
    'ls "`id`"',
    'ls <(id)',
    'sudo ls',
    'ls <<E\n$(id)\nE',
  ])('does not allow %j, of which some command is something else', (line) => {
    expect(matches('Bash(ls *)', command(line), allow)).toBe(false)
    expect(matches('Bash(ls*)', command(line), allow)).toBe(false)
  })

  test.each([
    ['an open quote', 'ls "x'],
    ['an open single quote', "ls 'x"],
    ['an open bracket', 'ls $('],
    ['a non-breaking space', 'ls\u00a0-l'],
    ['a zero-width space', 'ls a\u200bb'],
    ['a null byte', 'ls a\0b'],
    ['a right-to-left mark', 'ls a\u202eb'],
    ['more than 10,000 characters', `ls ${'x'.repeat(10_000)}`],
    ['a program that is not known', '$TOOL x'],
    ['a line that is not known', 'eval "$LINE"'],
    ['nothing', ''],
    ['blanks', '  '],
    ['a comment alone', '# ls'],
    ['an empty program', "'' ls"],
  ])('with %s in the line nothing is allowed', (_what, line) => {
    const exact = line.trim() === '' ? [] : [`Bash(${line})`]
    for (const rule of ['Bash', 'Bash(*)', 'Bash(ls *)', 'Bash(ls*)', ...exact]) {
      expect(matches(rule, command(line), allow), rule).toBe(false)
    }
  })

  test.each([
    'git -c core.pager=x log',
    'git log --output=x',
    'sort -ro x f',
    'sort --comp=x f',
    'rg --pre x y',
    'rg --pre=x y',
    'go test -exec x',
    'npm run a --prefix x',
  ])('with an option that runs or writes something, `%s` needs the whole of it in a rule', (line) => {
    const first = line.split(' ')[0]
    expect(matches(`Bash(${first} *)`, command(line), allow) && line.startsWith('git -c')).toBe(false)
    expect(matches(`Bash(${line})`, command(line), allow)).toBe(true)
  })

  test.each([
    ['npx tsc *', 'npx tsc --noEmit', true],
    ['npx *', 'npx tsc --noEmit', false],
    ['bundle exec *', 'bundle exec rubocop -A', true],
    ['bundle exec *', 'bundle exec my-tool', true],
    ['bundle exec *', 'bundle exec sh -c x', false],
    ['bundle exec *', 'bundle exec rm x', false],
    ['bundle exec *', 'bundle exec /tmp/my-tool', false],
    ['bundle *', 'bundle exec rubocop', false],
    ['uv run *', 'uv run python x.py', true],
    ['uv run *', 'uv run python -c 1', false],
    ['docker exec *', 'docker exec web ls', true],
    ['docker exec *', 'docker exec web rm x', false],
    ['npx tsc*', 'npx tsc --noEmit', false],
    ['npx tsc *', 'npx tscc', false],
    ['npx tsc *', 'npx --yes tsc', false],
    ['sudo ls *', 'sudo ls -l', true],
    ['sudo *', 'sudo ls -l', false],
  ])('`%s` on `%s`: %s, for a rule about a runner has to name what is run', (rule, line, expected) => {
    expect(matches(`Bash(${rule})`, command(line), allow)).toBe(expected)
  })

  test.each([
    ['Bash(bash)', "bash <<'E'\nrm -r x\nE"],
    ['Bash(sh -s)', 'sh -s <<< "rm x"'],
    ['Bash(bash)', 'echo "rm x" | bash'],
    ['Bash(f)', 'f() { rm x; }; f'],
    ['Bash(eval)', 'eval "rm x"'],
    ['Bash(xargs rm)', 'echo a | xargs rm -r'],
    ['Bash(ls)', 'alias ls="rm x"\nls'],
    ['Bash(echo x)', 'echo x "$(rm x)"'],
    ['Bash(cat)', 'cat <(rm x)'],
    ['Bash(cat)', 'cat <<E\n$(rm x)\nE'],
    ['Bash(true)', 'trap "rm x" EXIT; true'],
    ['Bash(git status)', 'git() { rm x; }; git status'],
  ])('%s does not let %j run, of which it names only a part', (rule, line) => {
    expect(matches(rule, command(line), allow)).toBe(false)
  })

  test.each([
    'git status --short',
    'git log --oneline -5',
    'git commit -m x',
    'npm test',
    'npm run build',
    'pnpm --filter a build',
    'rg -n foo src',
    'ls -la',
    'cat a',
    'go test -count=1 ./...',
    'sort -r f',
    'tsc -p .',
    './scripts/check.sh a',
    'rm -r x',
    'mv a b',
    'sed s/a/b/ f',
  ])('`%s` is allowed by a prefix', (line) => {
    expect(matches(`Bash(${line.split(' ')[0]} *)`, command(line), allow)).toBe(true)
  })

  test.each([
    ['behind an operator', 'ls && rm -r x'],
    ['behind a pipe', 'ls | rm -r x'],
    ['on another line', 'ls\nrm -r x'],
    ['in the background', 'ls & rm -r x'],
    ['in a subshell', '(rm -r x)'],
    ['in a group', '{ rm -r x; }'],
    ['in a loop', 'for f in a b; do rm -r x; done'],
    ['in a condition', 'if true; then rm -r x; fi'],
    ['in a substitution', 'echo "$(rm -r x)"'],
    ['in backticks', 'echo `rm -r x`'],
    ['in a process substitution', 'diff <(rm -r x) y'],
    ['behind a redirect', '>out rm -r x'],
    ['behind an assignment', 'A=1 rm -r x'],
    ['behind sudo', 'sudo rm -r x'],
    ['behind wrappers with options', 'sudo -u me timeout -k 5 10 rm -r x'],
    ['behind env', 'env -i A=1 rm -r x'],
    ['in sh -c', "sh -c 'rm -r x'"],
    ['in a list in sh -c', 'bash -lc "cd a && rm -r x"'],
    ['behind xargs', 'xargs -0 rm -r'],
    ['behind find -exec', 'find . -exec rm -r {} +'],
    ['with its path', '/bin/rm -r x'],
    ['with a path in a wrapper', 'sudo /usr/bin/rm -r x'],
    ['with quotes', `r''m -r "x"`],
    ['with a backslash', '\\rm -r x'],
    ['with a backslash within', 'r\\m -r x'],
    ['with a line continuation', 'r\\\nm -r x'],
    ['with many blanks', 'rm \t -r  x'],
    ['behind sixty commands', `${'true && '.repeat(60)}rm -r x`],
    ['behind 10,000 characters', `echo ${'x'.repeat(10_000)}; rm -r x`],
  ])('a deny rule finds the command %s', (_where, line) => {
    expect(matches('Bash(rm:*)', command(line), deny)).toBe(true)
    expect(matches('Bash(rm:*)', command(line), { effect: 'ask' })).toBe(true)
  })

  test.each([
    ['git push *', 'git -C . push'],
    ['git push *', 'git --no-pager push origin'],
    ['git push *', 'git --git-dir=.git --work-tree . push'],
    ['git push *', '/usr/bin/git -C . push'],
    ['git push *', 'sudo git -C . push'],
  ])('`%s` is also found behind options of the program: `%s`', (specifier, line) => {
    expect(matches(`Bash(${specifier})`, command(line), deny)).toBe(true)
  })

  test.each([
    ['Bash(rm:*)', 'echo rm -r x'],
    ['Bash(rm:*)', "rg 'rm -r' src"],
    ['Bash(rm:*)', 'which rm'],
    ['Bash(git push:*)', 'git checkout push'],
    ['Bash(git push:*)', 'git commit -m "git push later"'],
  ])('%s does not take a mention for a command: `%s`', (rule, line) => {
    expect(matches(rule, command(line), deny)).toBe(false)
  })

  test('case counts where it counts for the file system', () => {
    expect(matches('Bash(rm:*)', command('RM -r x'), { effect: 'deny', ignoreCase: true })).toBe(true)
    expect(matches('Bash(rm:*)', command('RM -r x'), deny)).toBe(false)
    expect(matches('Bash(ls:*)', command('LS'), { effect: 'allow', ignoreCase: true })).toBe(false)
  })

  test('a call without a command text matches deny and ask, and never allow', () => {
    for (const input of [{}, { command: 1 }, { command: null }, null, [], 'x']) {
      const call = { tool: plainTool('Bash'), input }
      expect(matches('Bash(rm:*)', call, deny)).toBe(true)
      expect(matches('Bash(rm:*)', call, allow)).toBe(false)
      expect(matches('Bash', call, allow)).toBe(false)
    }
  })

  test('the tool table says which tool runs commands, and in which field', () => {
    const tools = { shell: { as: 'Bash', command: 'line' }, mcp__box__run: { as: 'Bash', command: 'cmd' } }
    const call = { tool: plainTool('shell'), input: { line: 'sudo rm x' } }
    expect(matches('Bash(rm *)', call, { effect: 'deny', tools })).toBe(true)
    expect(matches('shell(rm *)', call, { effect: 'deny', tools })).toBe(true)
    const remote = {
      tool: { name: 'mcp__box__run', source: { server: 'box', tool: 'run' } },
      input: { cmd: 'ls; rm x' },
    }
    expect(matches('Bash(rm *)', remote, { effect: 'deny', tools })).toBe(true)
    expect(matches('mcp__box__run', { ...remote, input: { cmd: 'ls $(' } }, { effect: 'allow', tools })).toBe(false)
    expect(matches('mcp__box__run', { ...remote, input: { cmd: 'ls' } }, { effect: 'allow', tools })).toBe(true)
  })

  test('parentheses that are not understood are a problem: the rule then allows nothing and denies everything', () => {
    const call = { tool: plainTool('WebSearch'), input: { query: 'x' } }
    const rule = 'WebSearch(x y)'
    expect(compiled(rule, allow).problem?.problem).toBe('parentheses after `WebSearch` are not understood')
    expect(matches(rule, call, allow)).toBe(false)
    expect(matches(rule, call, deny)).toBe(true)
    expect(compiled('bash(ls)', allow).problem?.hint).toBe('Did you mean `Bash`?')
  })

  test('hostile lines are read in reasonable time', () => {
    const started = performance.now()
    for (const line of [
      'sudo -a '.repeat(5000),
      '$('.repeat(5000),
      'a '.repeat(50_000),
      '"'.repeat(50_001),
      '\\'.repeat(50_000),
    ]) {
      matches('Bash(rm * -r *)', command(line), deny)
    }
    expect(performance.now() - started).toBeLessThan(15_000)
  })
})

describe('a rule that is used as a condition', () => {
  const condition = { effect: 'condition' } as const

  test.each([
    '$TOOL push',
    '$(which git) push origin main',
    'git pull && "$TOOL" push',
    'sh -c "$LINE"',
    'eval $LINE',
    'xargs -I{} {} push',
  ])('fits %j, whose programs nobody can know before it runs', (line) => {
    expect(matches('Bash(git push *)', command(line), condition)).toBe(true)
    expect(matches('Bash(git push *)', command(line), { effect: 'deny' })).toBe(false)
  })

  test.each(['echo $HOME', 'npm test > "$LOG"', 'ls *.ts', 'git status; echo `date`', 'cat $(ls)'])(
    'does not fit %j: its programs are known, and none is meant',
    (line) => {
      expect(matches('Bash(git push *)', command(line), condition)).toBe(false)
    },
  )

  test('about reading does not fit an edit, which only a deny rule closes along with it', () => {
    expect(matches('Read(./x)', file('Edit', '/repo/x'), condition)).toBe(false)
    expect(matches('Read(./x)', file('Edit', '/repo/x'), { effect: 'deny' })).toBe(true)
  })
})
