import { describe, expect, test } from 'vitest'
import { analyzeShell } from '../../src/shell/index.js'
import { codesOf, commandsOf, context } from './support.js'

describe('every command that would run is seen', () => {
  test.each([
    ['a && b || c; d', ['a', 'b', 'c', 'd']],
    ['a | b |& c', ['a', 'b', 'c']],
    ['a & b', ['a', 'b']],
    ['a\nb', ['a', 'b']],
    ['(a; { b; })', ['a', 'b']],
    ['! a', ['a']],
    ['time -p a', ['a']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done', ['a', 'b']],
    ['until a; do b; done', ['a', 'b']],
    ['for x in 1 2; do a $x; done', ['a 1', 'a 2']],
    ['for ((i=$(a); i < 1; i++)); do b; done', ['a', 'b']],
    ['select x in 1; do a $x; done', ['a 1']],
    ['case $(a) in $(b)) c;; *) d;; esac', ['a', 'b', 'c', 'd']],
    ['f() { a; }', ['a']],
    ['function f { a; }', ['a']],
    ['coproc a', ['a']],
    ['coproc N { a; }', ['a']],
    ['[[ -n $(a) && $(b) == x ]]', ['a', 'b']],
    ['((x = $(a)))', ['a']],
    ['echo $((1 + $(a)))', ['a', 'echo …']],
    ['echo $[1 + $(a)]', ['a', 'echo …']],
    ['echo "$(a)"', ['a', 'echo …']],
    ['echo `a \\`b\\``', ['b', 'a …', 'echo …']],
    ['echo ${x:-$(a)}', ['a', 'echo …', 'echo …']],
    ['echo ${x[$(a)]} ${x:$(b)} ${x/$(c)/$(d)}', ['a', 'b', 'c', 'd', 'echo … … …']],
    ['a <(b) >(c)', ['b', 'c', 'a … …']],
    ['cat <<X\n$(a)\nX', ['a', 'cat']],
    ["cat <<'X'\n$(a)\nX", ['cat']],
    ['cat <<< "$(a)"', ['a', 'cat']],
    ['a > "$(b)"', ['b', 'a']],
    ['X=$(a) b', ['a', 'b']],
    ['X=(1 $(a)) ; Y[$(b)]=1', ['a', 'b']],
  ])('%s', (line, commands) => {
    expect(commandsOf(line)).toEqual(commands)
  })
})

describe('what runs other commands is looked through', () => {
  test.each([
    "sh -c 'rm x'",
    "bash -euo pipefail -lc 'rm x'",
    'bash -c \'rm "$1"\' _ x',
    "bash <<'X'\nrm x\nX",
    "sh <<< 'rm x'",
    "echo 'rm x' | sh",
    'eval rm x',
    "eval 'r''m x'",
    "trap 'rm x' EXIT",
    'exec rm x',
    'command rm x',
    'builtin command rm x',
    'env -i A=1 rm x',
    'env -S "rm x"',
    'timeout -k 1 5 nice -n 3 nohup rm x',
    'sudo -u root -- rm x',
    "su root -c 'rm x'",
    'xargs -0 -I{} rm x',
    'find . -name y -exec rm x \\;',
    'find . -okdir rm x ;',
    'parallel rm x ::: 1',
    'busybox rm x',
    'ssh -p 22 host rm x',
    "docker exec -it c sh -c 'rm x'",
    'kubectl exec pod -- rm x',
    'npx -y rm x',
    "npx -c 'rm x'",
    'pnpm dlx rm x',
    'uv run rm x',
    'ip netns exec n rm x',
    "watch -n1 'rm x'",
    "flock l -c 'rm x'",
    "script -qc 'rm x' log",
    'strace -f -o t rm x',
    "git -c alias.p='!rm x' p",
    "git -c core.pager='rm x' log",
    "git fetch --upload-pack='rm x'",
    "git rebase -x 'rm x' main",
    'git bisect run rm x',
    "git submodule foreach 'rm x'",
    "rsync -e 'rm x' a b:c",
    "tar --to-command='rm x' -xf a",
    "man -P 'rm x' ls",
    "rg --pre 'rm x' y",
    "sort --compress-prog='rm x' y",
    "alias y='rm x'",
    "mapfile -C 'rm x' y",
  ])('%s', (line) => {
    expect(commandsOf(line).join('\n')).toMatch(/^rm x/m)
  })

  test('the way to a command is told, outermost first, and which unit runs it', () => {
    const { units } = analyzeShell("timeout 5 sh -c 'rm x'", context)
    expect(units.map(({ via }) => via)).toEqual([[], ['timeout'], ['timeout', 'sh -c']])
    expect(units.map(({ parent }) => parent)).toEqual([undefined, 0, 1])
    expect(units.map(({ transparent }) => transparent)).toEqual([true, true, false])
  })

  test('what runs elsewhere is marked, and has no folder here', () => {
    const { units } = analyzeShell('docker exec c rm x', context)
    expect(units.at(-1)).toMatchObject({ argv: ['rm', 'x'], remote: true, cwd: undefined })
  })
})

describe('words are read as the shell reads them', () => {
  test.each([
    ["'rm' x", 'rm x'],
    ['r\\m x', 'rm x'],
    ["r''m x", 'rm x'],
    ["$'\\x72\\u006d' x", 'rm x'],
    ['$"rm" x', 'rm x'],
    ['r\\\nm x', 'rm x'],
    ['{rm,-rf,x}', 'rm -rf x'],
    ['echo {a,b}{1..3}', 'echo a1 a2 a3 b1 b2 b3'],
    ['echo {01..03} {c..a} {1..5..2}', 'echo 01 02 03 c b a 1 3 5'],
    ['echo \\{a,b} "{a,b}" {a} ${x}{', 'echo {a,b} {a,b} {a} …{'],
    ['rm${IFS}-rf${IFS}x', 'rm -rf x'],
    ['X=rm; $X x', 'rm x'],
    ['X="rm -rf"; $X x', 'rm -rf x'],
    ['X="a b"; rm "$X"', 'rm a b'],
    ['X=(rm x); "${X[@]}"', 'rm x'],
    ['X=r; Y=${X}m; $Y x', 'rm x'],
    ['X=r; X+=m; $X x', 'rm x'],
    ['rm ${HOME} ~ ~/a $PWD/b', 'rm /home/u /home/u /home/u/a /repo/b'],
    ["rm '~/a' \\~", 'rm ~/a ~'],
    ['dd of=~/a', 'dd of=/home/u/a'],
  ])('%s', (line, command) => {
    expect(commandsOf(line).at(-1)).toBe(command)
  })

  test('a variable with several possible values makes several commands', () => {
    expect(commandsOf('if a; then X=rm; else X=ls; fi; $X y')).toEqual(['a', 'rm y', 'ls y'])
    expect(commandsOf('${X:-rm} y')).toEqual(['… y', 'rm y'])
  })

  test('what a loop changes is not known at its start', () => {
    expect(commandsOf('X=a; for i in 1 2; do rm $X; X=b; done')).toEqual(['rm …'])
  })

  test('on a file system without case, names of programs have none', () => {
    const [unit] = analyzeShell('/BIN/RM x', { ...context, platform: 'darwin' }).units
    expect(unit).toMatchObject({ argv: ['/BIN/RM', 'x'], program: 'rm' })
    expect(analyzeShell('RM x', context).units[0]?.program).toBe('RM')
  })
})

describe('deny and ask rules see the same command in other words', () => {
  test.each([
    ['/usr/bin/git push', 'git push'],
    ['git -C . --no-pager push origin', 'git push origin'],
    ['git push origin main --force', 'git push --force origin main'],
    ['git push -f origin main', 'git push --force origin main'],
    ['git push origin +main', 'git push --force origin main'],
    ['git push --force-with-lease', 'git push --force'],
    ['git push origin :main', 'git push --delete origin main'],
    ['git send-pack origin main', 'git push origin main'],
    ['rm x -r -f', 'rm -rf x'],
    ['rm -vfr x', 'rm -rf -v x'],
    ['rm --recursive --force x', 'rm -rf x'],
    ['rm -rf x', 'rm --recursive -f x'],
    ['sort -ox y', 'sort --output=x y'],
    ['python3.12 x', 'python3 x'],
    ['$SUDO rm x', 'rm x'],
    ['/bi?/rm x', 'rm x'],
    ['unlink x', 'rm x'],
  ])('%s is also %s', (line, reading) => {
    const { units } = analyzeShell(line, context)
    expect(units.flatMap(({ readings }) => readings.map((words) => words.join(' ')))).toContain(reading)
  })

  test('an unknown program may run what it is given', () => {
    expect(analyzeShell('my-runner git add -A', context).units[0]?.suspects).toEqual([['git', 'add', '-A']])
    expect(analyzeShell('git --new value push', context).units[0]?.suspects).toContainEqual(['git', 'push'])
  })

  test('allow rules see through options that change nothing', () => {
    expect(analyzeShell('git --no-pager log -5', context).units[0]?.same).toEqual([['git', 'log', '-5']])
    expect(analyzeShell('git -C x log', context).units[0]?.same).toEqual([])
  })
})

describe('what only reads is told', () => {
  test.each([
    'ls -la',
    'cat a',
    'git status --short',
    'git log -5',
    'git branch',
    'sed -n 1,5p a',
    "awk '{print $1}' a",
    'rg x',
    'find . -name x',
  ])('%s only reads', (line) => {
    expect(analyzeShell(line, context).units[0]?.readOnly).toBe(true)
  })

  test.each([
    'sed -i s/a/b/ a',
    'git branch x',
    'git log --output=x',
    'sort -o x y',
    'find . -delete',
    'uniq a b',
    'my-tool',
    'npm test',
  ])('%s may do more', (line) => {
    expect(analyzeShell(line, context).units[0]?.readOnly).toBe(false)
  })
})

test('builtins without consequences need no rule, and going out of the workspace does', () => {
  const transparent = (line: string) => analyzeShell(line, context).units.map((unit) => unit.transparent)
  expect(transparent('cd sub && true')).toEqual([true, true])
  expect(transparent('cd .. && set -euo pipefail')).toEqual([false, true])
  expect(codesOf('cd sub && git status')).toEqual([])
  expect(codesOf('cd ../other && git status')).toEqual(['folder'])
})
