import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../src/env/index.js'

const MASK = '[redacted]'

describe('redact masks by name', () => {
  it.each([
    ['API_KEY=abc next', `API_KEY=${MASK} next`],
    ['export GITHUB_TOKEN="a b" && x', `export GITHUB_TOKEN="${MASK}" && x`],
    ["PASSWORD='a'\\''b' x", `PASSWORD=${MASK} x`],
    ['DB_PASSWD=a,b&c;d e', `DB_PASSWD=${MASK} e`],
    ['my.secret = a b c\nx = y', `my.secret = ${MASK}\nx = y`],
    ['token := "x"', `token := "${MASK}"`],
    ['"password" => "x", "user" => "y"', `"password" => "${MASK}", "user" => "y"`],
    ["os.environ['TOKEN'] = 'x'", `os.environ['TOKEN'] = '${MASK}'`],
    ['run --api-key abc --verbose', `run --api-key ${MASK} --verbose`],
    ['run --token "a b" c', `run --token "${MASK}" c`],
    ['run --token=abc x', `run --token=${MASK} x`],
    ['run --token --verbose', 'run --token --verbose'],
    ['https://host/?api_key=abc&x=y z', `https://host/?api_key=${MASK} z`],
    ['Authorization: Basic YWJj\nHost: x', `Authorization: ${MASK}\nHost: x`],
    ['Set-Cookie: a=b; Path=/\r\nX: y', `Set-Cookie: ${MASK}\r\nX: y`],
    ['x-api-key: abc', `x-api-key: ${MASK}`],
    ['password: hunter2', `password: ${MASK}`],
    ['password: "a b"', `password: "${MASK}"`],
    ['a:\n  private_key: |\n    one\n\n    two\n  next: x', `a:\n  private_key: ${MASK}\n  next: x`],
    ['credentials:\n  user: me\n  pin: 1\nnext: x', `credentials:${MASK}\nnext: x`],
    ['{"token":"a\\"b","x":"y"}', `{"token":"${MASK}","x":"y"}`],
    ['{"Token" : 5, "x": 6}', `{"Token" : ${MASK}, "x": 6}`],
    ['{"auth":{"user":"a}","p":["b"]},"x":"y"}', `{"auth":${MASK},"x":"y"}`],
    ['{"body":"{\\"token\\":\\"abc\\",\\"x\\":1}"}', `{"body":"{\\"token\\":\\"${MASK}\\",\\"x\\":1}"}`],
    ['{"password":\n  "x"}', `{"password":\n  "${MASK}"}`],
    ['{"password": "cut o', `{"password": ${MASK}`],
    ['{"password": ["cut o', `{"password": ${MASK}`],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each([
    'author: Bob',
    'authority=x',
    'the keyboard: x',
    'PWD=/home/me',
    'a token of thanks',
    'path=/a/b',
    'secret:',
    'monkey=1',
    '',
  ])('and leaves %j alone', (text) => {
    expect(redact(text)).toBe(text)
  })
})

describe('redact masks by value', () => {
  it.each([
    ['postgres://me:p%40ss@db/x', `postgres://me:${MASK}@db/x`],
    ['x http://:pw@h y', `x http://:${MASK}@h y`],
    ['http://me:a@b@host/', `http://me:${MASK}@host/`],
    [`use sk-${'a1-'.repeat(8)} now`, `use ${MASK} now`],
    [`ghp_${'a'.repeat(36)}`, MASK],
    [`x_github_pat_${'a'.repeat(30)}`, `x_${MASK}`],
    [`xoxb-${'1'.repeat(12)}-abc`, MASK],
    ['AKIAIOSFODNN7EXAMPLE', MASK],
    [`AIza${'b'.repeat(35)}`, MASK],
    [`glpat-${'c'.repeat(20)}`, MASK],
    [`curl -H "X: Bearer ${'d'.repeat(24)}"`, `curl -H "X: Bearer ${MASK}"`],
    ['a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln b', `a ${MASK} b`],
    ['-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- x', `${MASK} x`],
    ['a -----BEGIN PRIVATE KEY-----\nMII', `a ${MASK}`],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each([
    'http://host:80/a@b',
    'git@github.com:x',
    'ssh://git@host/x',
    'risk-averse-people-and-others',
    'sk-short',
    'eyJ.x',
  ])('and leaves %j alone', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('that the caller knows, also inside of JSON and of a URL', () => {
    expect(redact('a hunter2 b hunter2', { secrets: ['hunter2'] })).toBe(`a ${MASK} b ${MASK}`)
    expect(redact('{"x":"a\\"b c"} ?q=a%22b%20c', { secrets: ['a"b c'] })).toBe(`{"x":"${MASK}"} ?q=${MASK}`)
    expect(redact('abcdef', { secrets: ['abcd', 'abcdef', '', 'f'] })).toBe(MASK)
    expect(redact('\ud800abcd', { secrets: ['\ud800abc'] })).toBe(`${MASK}d`)
  })
})

describe('redact makes JSON of a value', () => {
  it('with secrets masked by field, and texts as texts', () => {
    const value = {
      user: 'me',
      apiKey: 'x',
      auth: { any: 'thing' },
      nested: [{ Cookie: ['a'] }, 'TOKEN=x', 5, true, null],
      args: ['--token', 'abc', '--verbose', 'x'],
      headers: [['Authorization', 'x']],
      big: 1n,
    }
    expect(JSON.parse(redact(value))).toEqual({
      user: 'me',
      apiKey: MASK,
      auth: MASK,
      nested: [{ Cookie: MASK }, `TOKEN=${MASK}`, 5, true, null],
      args: ['--token', MASK, '--verbose', 'x'],
      headers: [['Authorization', MASK]],
      big: '1',
    })
  })

  it('and has nothing to say about a value that can become none', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    let deep: Record<string, unknown> = {}
    for (let depth = 0; depth < 100_000; depth++) deep = { deep }
    const throws = {
      toJSON() {
        throw new Error('no')
      },
    }
    expect([circle, deep, { throws }].map((each) => redact(each))).toEqual([MASK, MASK, MASK])
  })
})

describe('whatever the text', () => {
  const keyword = fc.constantFrom(
    'api_key',
    'ApiKey',
    'API-KEY',
    'secret',
    'TOKEN',
    'password',
    'passwd',
    'credential',
    'Auth',
    'private_key',
    'privateKey',
    'cookie',
  )
  const around = fc.constantFrom('', 'X_', 'my-', 'a.', 'DB')
  const name = fc
    .tuple(
      around,
      keyword,
      around.map((text) => text.split('').reverse().join('')),
    )
    .map((parts) => parts.join(''))
  const noise = fc.oneof(
    fc.string({
      unit: fc.constantFrom(
        ...'ab =:"\'\\{}[]\n\t-,;&',
        'token',
        'TOKEN=',
        '"auth":',
        'cookie: ',
        '--secret ',
        '\\"',
        '://',
        '@',
        'eyJ',
        '.',
        '-----BEGIN ',
        '-----END ',
        '-----',
        MASK,
        '|\n  ',
      ),
    }),
    fc.string({ unit: 'binary' }),
  )
  const canary = fc.stringMatching(/^[A-Za-z0-9+/_-]{6,20}$/).map((text) => `canary${text}`)

  it('a canary under the name of a secret never survives', () => {
    fc.assert(
      fc.property(name, canary, noise, noise, (key, value, before, after) => {
        const line = before === '' || before.endsWith('\n') ? before : `${before}\n`
        const forms = [`${key}=${value} `, `${key}="${value}"`, `${key}: ${value}\n`, JSON.stringify({ [key]: value })]
        for (const form of [
          ...forms,
          JSON.stringify({ text: JSON.stringify({ [key]: value }) }),
          `--${key} ${value}\n`,
        ]) {
          expect(redact(`${line}${form}${after}`)).not.toContain(value)
        }
        expect(redact({ [key]: value, list: [{ [key]: { value } }] })).not.toContain(value)
      }),
      { numRuns: 5000 },
    )
  })

  it('a canary that is known never survives', () => {
    fc.assert(
      fc.property(canary, noise, noise, (value, before, after) => {
        expect(redact(before + value + after, { secrets: [value] })).not.toContain(value)
        expect(redact({ [value]: [before + value] }, { secrets: [value] })).not.toContain(value)
      }),
      { numRuns: 2000 },
    )
  })

  it('what is masked stays so when it is masked again', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, name, canary)), fc.array(canary, { maxLength: 2 }), (parts, secrets) => {
        const once = redact(parts.join(''), { secrets })
        expect(redact(once, { secrets })).toBe(once)
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    'a',
    'token',
    'token=',
    'token="',
    'token: "\n',
    "token: '\n",
    'token=[',
    'token=[\\"',
    '"token": {"',
    'token:\n ',
    'token: |\n  x\n',
    '\\',
    '\\"',
    'token\\',
    'eyJ',
    'eyJ.eyJ',
    '-----BEGIN ',
    '-----END ',
    '://a:',
    'a:a@',
    'sk-',
    'Bearer ',
    '--token ',
    ' ',
    '"',
    '[redacted]',
    'a.',
    'xoxb-',
    'token = ',
  ])(
    '1 MiB of %j takes linear time',
    (unit) => {
      const text = unit.repeat(Math.ceil(1_048_576 / unit.length))
      expect(typeof redact(`${text}!`, { secrets: ['canary'] })).toBe('string')
      expect(typeof redact(`token="${text}!`)).toBe('string')
      expect(typeof redact(`{"auth":${text}!`)).toBe('string')
    },
    5000,
  )
})
