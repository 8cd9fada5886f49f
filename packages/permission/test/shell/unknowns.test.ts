import { describe, expect, test } from 'vitest'
import { analyzeShell } from '../../src/shell/index.js'
import { codesOf, commandsOf, context } from './support.js'

describe('what can not be judged is told', () => {
  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['# only a comment', 'empty'],
    ['X=1', 'empty'],
    ['echo "x', 'syntax'],
    ["echo 'x", 'syntax'],
    ['echo $(a', 'syntax'],
    ['echo `a', 'syntax'],
    ['echo ${x', 'syntax'],
    ['echo $((1 +', 'syntax'],
    ['(a', 'syntax'],
    ['if a; then b', 'syntax'],
    ['a ;; b', 'syntax'],
    ['a &&', 'syntax'],
    ['echo $(a "b)', 'syntax'],
    ["sh -c 'a \"b'", 'syntax'],
    ['cat <<X\na', 'syntax'],
    ['$X a', 'program'],
    ['$(a) b', 'program'],
    ['"$X"/a b', 'program'],
    ['/bi?/a', 'program'],
    ['sh -c "$X"', 'program'],
    ['sh -c "a $X"', 'program'],
    ['eval "$X"', 'program'],
    ['sudo $X a', 'argument'],
    ['git $X push', 'argument'],
    ['git --unheard push', 'argument'],
    ['find *', 'argument'],
    ['find . $X', 'argument'],
    ['sort $X', 'argument'],
    ['sort "$X"', 'argument'],
    ['sort *', 'argument'],
    ['echo ${x@P}', 'expansion'],
    ["test -v 'a[$(b)]'", 'expansion'],
    ["[[ -v 'a[$(b)]' ]]", 'expansion'],
    ["[[ 1 -eq 'a[$(b)]' ]]", 'expansion'],
    ["x='a[$(b)]'; echo $((x))", 'expansion'],
    ["let 'a[$(b)]=1'", 'expansion'],
    ["read 'a[$(b)]'", 'expansion'],
    ["declare 'a[$(b)]=1'", 'expansion'],
    ["declare -i x='a[$(b)]'", 'expansion'],
    ['declare -n x=PATH', 'environment'],
    ['for PATH in /tmp; do ls; done', 'environment'],
    ['((PATH = 1)); ls', 'environment'],
    ['PATH=/tmp:$PATH ls', 'environment'],
    ['PATH=/tmp; ls', 'environment'],
    ['export LD_PRELOAD=./x; ls', 'environment'],
    ['env GIT_PAGER=x git log', 'environment'],
    ['FOO=1 ls', 'environment'],
    ['printf -v PATH x; ls', 'environment'],
    ['read -r BASH_ENV; sh', 'environment'],
    ['X=1; export X; X=2', 'environment'],
    ["alias ls='a'; ls", 'redefined'],
    ['hash -p ./x git; git log', 'redefined'],
    ['python -c x', 'code'],
    ['node --eval=x', 'code'],
    ['perl -ne x a', 'code'],
    ['awk \'BEGIN{system("a")}\'', 'code'],
    ['awk \'{print | "sh"}\' a', 'code'],
    ["sed 's/a/b/e' x", 'code'],
    ["sed -n '1e a' x", 'code'],
    ['sed "$X" a', 'code'],
    ['git clone ext::x', 'code'],
    ['curl x | sh', 'input'],
    ['curl x | sudo bash -s', 'input'],
    ['bash <(curl x)', 'input'],
    ['source <(curl x)', 'input'],
    ['bash < x', 'input'],
    ['curl x | python -', 'input'],
    ['{ sh; } < x', 'input'],
    ['x | tee >(sh)', 'input'],
    ["cat > x.sh <<'X'\na\nX\nbash x.sh", 'input'],
    ['curl -o x http://y/z; chmod +x x; ./x', 'input'],
    ['echo a > x; . ./x', 'input'],
    ['tar xf a.tar && ./a/run', 'input'],
    ["sqlite3 db <<< '.shell a'", 'input'],
    ['git -c core.fsmonitor=x status', 'option'],
    ['git --exec-path=x status', 'option'],
    ['git config core.pager x', 'option'],
    ['ssh -o ProxyCommand=x host', 'option'],
    ['docker run -v /:/x alpine', 'option'],
    ['git -C ../other status', 'folder'],
    ['npm run build --prefix /tmp/x', 'folder'],
    ['make -C /tmp/x', 'folder'],
    ['cd .. && make', 'folder'],
    ['echo x > /dev/tcp/a/80', 'target'],
    ['git frob', 'program'],
    ['ln -s "$X" k', 'target'],
    ['git\u00a0push', 'characters'],
    ['echo a\u202eb', 'characters'],
    ['ls\u0000', 'characters'],
    ['ls\r\nls', 'characters'],
    ['g\u0456t push', 'characters'],
  ])('%j: %s', (line, code) => {
    expect(codesOf(line)).toContain(code)
  })

  test.each([
    ['=rm x', 'expansion'],
    ['echo x >! a', 'language'],
    ["ls *(e:'a':)", 'language'],
    ['cat =(a)', 'language'],
    ['echo ${(e)x}', 'language'],
  ])('zsh, %j: %s', (line, code) => {
    expect(codesOf(line, { shell: 'zsh' })).toContain(code)
  })

  test.each(['powershell', 'cmd'] as const)('nothing is read of a line for %s', (shell) => {
    expect(analyzeShell('dir', { ...context, shell })).toMatchObject({ units: [], unknowns: [{ code: 'language' }] })
  })
})

describe('what is plain is not made unknown', () => {
  test.each([
    'git add -A && git commit -m "fix: a; rm -rf b"',
    'git commit -m "$MESSAGE"',
    "git commit -F - <<'X'\n$(not run)\nX",
    'for f in *.ts; do wc -l "$f"; done',
    'for f in src/*.ts; do prettier --check "$f"; done',
    'while read -r line; do echo "$line"; done < list',
    'if [ -n "$CI" ]; then npm ci; else npm install; fi',
    'find . -name "*.ts" | xargs grep -l x',
    'cat "$FILE" | head -n 5',
    'echo $((n + 1)) $# $? "日本語 ✓ a\u00a0b"',
    'n=$(wc -l < a); echo "$n"',
    'NODE_ENV=test CI=true npm test',
    'export NODE_ENV=production; npm run build',
    'build() { npm run build; }; build',
    'npm --version; docker --help',
    'rg -- --pre src',
    'go test -run TestX ./...',
    "sed -n '/a/,/b/p; s#x/y#z#g' f",
    "awk -F: '$3 > 5 || $4 ~ /a|b/ { print $1, $2 / 2 }' f",
    'tar -czf out.tgz dist',
    'python -m pytest -x tests',
    'make build V=1',
    'gcc -o app a.c && ./app',
    'chmod +x run.sh && ./run.sh',
    '(cd packages/a && npm test) && cd packages/b && git status',
  ])('%s', (line) => {
    expect(codesOf(line)).toEqual([])
  })
})

test('which words an allow rule has to spell out is told', () => {
  const [unknown] = analyzeShell('python -u -c "print(1)" a', context).unknowns
  expect(unknown).toMatchObject({ code: 'code', unit: 0, spelled: 3 })
  expect(analyzeShell('$X a', context).unknowns[0]).not.toHaveProperty('spelled')
})

describe('limits', () => {
  const isQuick = (line: string) => {
    const start = performance.now()
    const analysis = analyzeShell(line, context)
    expect(performance.now() - start).toBeLessThan(5000)
    return analysis
  }

  test('a line that is too long is a limit, and what it holds is found all the same', () => {
    const { units, unknowns } = isQuick(`${'true && '.repeat(20_000)}rm -rf x`)
    expect(unknowns.map(({ code }) => code)).toContain('limit')
    expect(units.at(-1)?.argv).toEqual(['rm', '-rf', 'x'])
  })

  test.each([
    ['nested substitutions', `rm a; echo ${'$('.repeat(5000)}b${')'.repeat(5000)}`],
    ['nested quotes and substitutions', `rm a; echo ${'"$(echo '.repeat(300)}b${')"'.repeat(300)}`],
    ['nested groups', `rm a; ${'{ '.repeat(20_000)}`],
    ['open parentheses', `rm a; ${'('.repeat(20_000)}`],
    ['backticks', `rm a; ${'`'.repeat(20_001)}`],
    ['braces that make many words', `rm a; echo ${'{a,b}'.repeat(40)}`],
    ['nested braces', `rm a; echo ${'{a,'.repeat(3000)}b${'}'.repeat(3000)}`],
    ['arithmetic', `rm a; echo $((${'1+'.repeat(100_000)}1))`],
    ['evals', `rm a; ${'eval '.repeat(5000)}b`],
    ['wrappers', `rm a; ${'sudo '.repeat(5000)}b`],
    ['a script that runs itself', `rm a; x='eval "$x"; eval "$x"'; eval "$x"`],
    ['a megabyte of words', `rm a; echo ${'b '.repeat(500_000)}`],
    ['a megabyte of one word', `rm a; echo ${'b'.repeat(1_000_000)}`],
    ['here-documents without end', `rm a\n${'cat <<X\n'.repeat(3000)}`],
  ])('%s take bounded time, and hide nothing that stands before', (_, line) => {
    const { units, unknowns } = isQuick(line)
    expect(units[0]?.argv).toEqual(['rm', 'a'])
    expect(unknowns).not.toEqual([])
  })

  test('loops in loops take no more than their share', () => {
    const { units } = isQuick(`${'for a in 1 2; do '.repeat(100)}rm $b; cd ..; ${'done; '.repeat(100)}`)
    expect(units[0]?.argv[0]).toBe('rm')
  })

  test('many possible values of a variable are none', () => {
    expect(commandsOf('for a in 1 2 3 4 5 6 7 8 9; do rm $a; done')).toEqual(['rm …'])
  })
})
