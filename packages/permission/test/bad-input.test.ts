import { memoryFiles } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, session } from './support.js'

const everything = { allow: ['Bash', 'Read', 'Edit', 'WebFetch', 'Bash(ls *)'] }

/** Far more than it takes here, and far less than it would take if time grew with the square of the input. */
const SOON_MS = 8000

describe('a command line that nobody would write', () => {
  test.each([
    ['empty', ''],
    ['blank', ' \t '],
    ['blank lines', '\n\n\n'],
    ['a comment alone', '# nothing'],
    ['an open quote', 'echo "a'],
    ['an open substitution', 'echo $('],
    ['an open brace', '{ ls'],
    ['a stray bracket', 'ls )'],
    ['a lone operator', '&&'],
    ['an operator at the end', 'ls &&'],
    ['a lone redirect', 'ls >'],
    ['an if without end', 'if true; then ls'],
    ['NUL', 'ls a\0b'],
    ['NUL at the end', 'ls\0'],
    ['an escape character', 'ls \x1b[31m'],
    ['a non-breaking space', 'ls\u00a0-l'],
    ['a narrow space', 'ls\u202f-l'],
    ['an ideographic space', 'ls\u3000-l'],
    ['a zero-width space', 'ls\u200b -l'],
    ['a line separator', 'ls\u2028id'],
    ['a next-line character', 'ls\u0085id'],
    ['a right-to-left override', 'ls \u202egnp.exe'],
    ['a right-to-left isolate', 'ls \u2067x\u2069'],
    ['a byte order mark', '\ufeffls'],
    ['5,000 open substitutions', '$('.repeat(5000)],
    ['2,000 nested substitutions', `${'$('.repeat(2000)}id${')'.repeat(2000)}`],
    ['20,000 operators', 'ls && '.repeat(20_000)],
    ['20,000 commands', `ls${' ; ls'.repeat(20_000)}`],
    ['20,000 brackets', '('.repeat(20_000)],
    ['20,000 quotes', '"'.repeat(20_001)],
    ['20,000 braces', '{a,b}'.repeat(4000)],
    ['1 MB of one word', `ls ${'x'.repeat(1024 * 1024)}`],
    ['1 MB of words', 'ls '.repeat(350_000)],
    ['1 MB of backslashes', `ls ${'\\'.repeat(1024 * 1024)}`],
    ['1 MB of here documents', 'cat <<E\n'.repeat(120_000)],
  ])('%s is asked, in bypass as well, and denied where nobody is asked', async (_what, line) => {
    const permission = await permissionWith({ rules: everything, readOnlyCommands: true })
    const started = performance.now()
    for (const permissionMode of ['default', 'bypassPermissions'] as const) {
      expect(permission.session(session({ permissionMode })).decide(bash(line)).behavior).toBe('ask')
    }
    expect(await permission.session(session()).authorize(bash(line))).toMatchObject({
      behavior: 'deny',
      answeredBy: 'nobody',
    })
    expect(performance.now() - started).toBeLessThan(SOON_MS)
  })

  test.each([
    ['20,000 operators', `${'ls && '.repeat(20_000)}rm -r x`],
    ['10,000 characters', `echo ${'x'.repeat(10_000)}; rm -r x`],
    ['a syntax error', 'rm -r x; echo "'],
    ['an unusual blank', 'rm -r x\u00a0y'],
  ])('a deny that is found beside %s stays a deny', async (_what, line) => {
    const here = (await permissionWith({ rules: { ...everything, deny: ['Bash(rm *)'] } })).session(session())
    // Beyond the limit nothing is promised but that it is not allowed.
    expect(here.decide(bash(line)).behavior).not.toBe('allow')
    if (line.startsWith('rm')) expect(here.decide(bash(line)).behavior).toBe('deny')
  })

  test('a lone -- is a command like others', async () => {
    const here = (await permissionWith({ rules: { ask: ['Bash'] } })).session(session())
    for (const line of ['--', 'git diff --no-index -- a b', '-- rm x']) {
      expect(here.decide(bash(line)).behavior).toBe('ask')
    }
  })

  test.each([[undefined], [null], [5], [true], [[]], [{}], [['ls']], [{ toString: 'ls' }]])(
    '%j instead of a text is asked',
    async (command) => {
      const here = (await permissionWith({ rules: everything })).session(session())
      expect(here.decide(request('Bash', { command } as never)).behavior).toBe('ask')
      const strict = (await permissionWith({ rules: { ...everything, deny: ['Bash(rm *)'] } })).session(session())
      expect(strict.decide(request('Bash', { command } as never)).behavior).toBe('deny')
    },
  )
})

describe('a path that is another one', () => {
  const links: Readonly<Record<string, string>> = {
    '/repo/src/link': '/repo/.env',
    '/repo/src/out': '/home/u/.config',
    '/repo/src/chain': '/repo/src/link',
    '/repo/loop': '/repo/loop',
  }
  const follow = (path: string, left = 8): string | undefined => {
    const link = Object.keys(links).find((each) => path === each || path.startsWith(`${each}/`))
    if (link === undefined) return path.endsWith('missing') ? undefined : path
    return left === 0 ? undefined : follow(links[link] + path.slice(link.length), left - 1)
  }
  const files = { ...memoryFiles({}), realPath: async (path: string) => follow(path) }
  const rules = {
    allow: ['Read(./src/**)', 'Edit(./src/**)', 'Bash(cat *)', 'Bash(tee *)', 'Bash(rm *)'],
    deny: ['Read(./.env)'],
  }
  const verdict = async (asked: ReturnType<typeof bash>, platform = 'linux') => {
    const permission = await permissionWith({ rules, files, platform })
    return (await permission.session(session()).authorize(asked)).decision.behavior
  }

  test.each([
    [request('Read', { file_path: '/repo/src/../.env' }), 'deny'],
    [request('Read', { file_path: 'src/../../repo/.env' }), 'deny'],
    [request('Read', { file_path: '/repo//./.env' }), 'deny'],
    [request('Read', { file_path: '/repo/.env/' }), 'deny'],
    [request('Read', { file_path: '/repo/src/link' }), 'deny'],
    [request('Read', { file_path: '/repo/src/chain' }), 'deny'],
    [request('Read', { file_path: 'src/out/../../x' }), 'ask'],
    [request('Read', { file_path: 'src/out/../a' }), 'ask'],
    [bash('tee src/out/../a < src/b'), 'ask'],
    [bash('rm -r src/out/*'), 'ask'],
    [bash('cat src/link'), 'deny'],
    [bash('cat src/chain'), 'deny'],
    [bash('echo x | tee src/link'), 'deny'],
    [request('Write', { file_path: '/repo/src/out/missing' }), 'ask'],
    [request('Write', { file_path: '/repo/src/out/deep/missing' }), 'ask'],
    [bash('tee src/out/missing < src/a'), 'ask'],
    [request('Write', { file_path: '/repo/src/new/missing' }), 'allow'],
    [request('Read', { file_path: '/repo/src/../../etc/passwd' }), 'ask'],
    [request('Read', { file_path: '/repo/src-secret/x' }), 'ask'],
    [request('Read', { file_path: '/repo/loop/x' }), 'ask'],
    [request('Read', { file_path: 'src/a\0/../../.env' }), 'deny'],
    [request('Read', { file_path: 'C:\\repo\\.env' }), 'deny'],
    [request('Read', { file_path: '\\\\server\\share\\x' }), 'deny'],
    [request('Read', { file_path: `src/${'a/'.repeat(100_000)}` }), 'allow'],
  ] as const)('%j: %s', async (asked, expected) => {
    const found = await verdict(asked as ReturnType<typeof bash>)
    // A path of 200,000 characters is beyond every limit; it must not be denied less, nor allowed by accident.
    if (JSON.stringify(asked).length > 10_000) expect(['allow', 'ask']).toContain(found)
    else expect(found).toBe(expected)
  })

  test('in another case or form is the same file where the file system says so', async () => {
    const cafe = { allow: ['Read(./**)', 'Bash(cat *)'], deny: ['Read(./.env)', 'Read(./caf\u00e9/**)'] }
    const on = async (platform: string) => (await permissionWith({ rules: cafe, platform })).session(session())
    const mac = await on('darwin')
    const linux = await on('linux')
    for (const path of ['/repo/.ENV', '/repo/.Env', '/repo/cafe\u0301/a', '/repo/CAF\u00c9/a']) {
      expect(mac.decide(request('Read', { file_path: path })).behavior, path).toBe('deny')
      expect(mac.decide(bash(`cat '${path}'`)).behavior, path).toBe('deny')
    }
    expect(linux.decide(request('Read', { file_path: '/repo/.ENV' })).behavior).toBe('allow')
    expect(linux.decide(request('Read', { file_path: '/repo/cafe\u0301/a' })).behavior).toBe('deny')
  })
})

test.each(['a'.repeat(1024 * 1024), 'a/'.repeat(500_000), '../'.repeat(300_000), '.'.repeat(1024 * 1024)])(
  'a path of 1 MB is decided in reasonable time (%#)',
  async (long) => {
    const rules = { allow: ['Read(./**)'], deny: ['Read(**/*.pem)', 'Read(~/.ssh/**)', 'Read(./a/**/b)'] }
    const here = (await permissionWith({ rules })).session(session())
    const started = performance.now()
    for (const path of [`${long}/x`, `${long}/..x`, `x/${long}/../y`]) {
      expect(here.decide(request('Read', { file_path: path })).behavior).toMatch(/^(?:allow|ask|deny)$/)
    }
    expect(performance.now() - started).toBeLessThan(SOON_MS)
  },
)

describe('a URL that is another one', () => {
  test.each([
    ['https://example.com@evil.test/', 'deny'],
    ['https://evil.test:8443/', 'deny'],
    ['https://EVIL.TEST./', 'deny'],
    ['https://evil.test\\@example.com/', 'deny'],
    ['http://evil%2Etest/', 'deny'],
    ['https://xn--bcher-kva.example/', 'deny'],
    ['https://bücher.example/', 'deny'],
    ['https://BÜCHER.example./', 'deny'],
    ['https://example.com./', 'allow'],
    ['https://example.com:443/', 'allow'],
    ['https://user:pass@example.com/', 'ask'],
    ['https://example.com.evil.test.other/', 'ask'],
    ['https://ex\u00adample.com/', 'ask'],
    ['https://example.com\n/', 'ask'],
    [`https://example.com/${'a'.repeat(1024 * 1024)}`, 'allow'],
  ] as const)('%.60s: %s', async (url, expected) => {
    const rules = {
      allow: ['WebFetch(domain:example.com)'],
      deny: ['WebFetch(domain:evil.test)', 'WebFetch(domain:bücher.example)'],
    }
    const here = (await permissionWith({ rules })).session(session())
    expect(here.decide(request('WebFetch', { url })).behavior).toBe(expected)
  })
})

describe('rules that nobody would write', () => {
  test('contradictory ones: the strictest counts', async () => {
    const rules = { allow: ['Bash(ls)', 'Read'], ask: ['Bash(ls)'], deny: ['Bash(ls)', 'Read'] }
    const here = (await permissionWith({ rules })).session(session())
    expect(here.decide(bash('ls')).behavior).toBe('deny')
    expect(here.decide(request('Read', { file_path: 'a' })).behavior).toBe('deny')
  })

  test('10,000 of them, each 4,000 characters long, are loaded and decide', async () => {
    const deny = Array.from({ length: 10_000 }, (_, index) => `Bash(x${index} ${'y'.repeat(4000)} *)`)
    const started = performance.now()
    const here = (await permissionWith({ rules: { ...everything, deny } })).session(session())
    expect(here.decide(bash('ls')).behavior).toBe('allow')
    expect(here.decide(bash(`x77 ${'y'.repeat(4000)} z`)).behavior).toBe('deny')
    expect(performance.now() - started).toBeLessThan(SOON_MS)
  })

  test('one with 10,000 wildcards is matched in reasonable time', async () => {
    const here = (
      await permissionWith({ rules: { deny: [`Bash(${'a*'.repeat(10_000)}b)`, `Read(${'*a'.repeat(1000)})`] } })
    ).session(session())
    const started = performance.now()
    here.decide(bash(`${'a'.repeat(9000)}`))
    here.decide(request('Read', { file_path: 'a'.repeat(4000) }))
    expect(performance.now() - started).toBeLessThan(SOON_MS)
  })
})
