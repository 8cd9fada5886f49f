import { describe, expect, test } from 'vitest'
import { compiled, matches, plainTool } from './support.js'

const allow = { effect: 'allow' } as const
const deny = { effect: 'deny' } as const

const fetch = (url: unknown) => ({ tool: plainTool('WebFetch'), input: { url } })

describe('a domain rule', () => {
  test.each([
    ['example.com', 'https://example.com/a', true],
    ['example.com', 'https://EXAMPLE.com./a', true],
    ['EXAMPLE.com.', 'https://example.com', true],
    ['example.com', 'https://example.com:8443/x?y#z', true],
    ['example.com', 'http://example.com', true],
    ['example.com', 'https://a.example.com', false],
    ['example.com', 'https://example.com.evil.test/', false],
    ['example.com', 'https://evil-example.com', false],
    ['example.com', 'https://evil.test/example.com', false],
    ['example.com', 'https://example.com@evil.test/', false],
    ['example.com', 'https://evil.test\\@example.com/', false],
    ['example.com', 'https://evil.test#@example.com/', false],
    ['*.example.com', 'https://a.b.example.com:8443/x', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://evilexample.com/', false],
    ['*example.com', 'https://my-example.com/', true],
    ['*example.com', 'https://a.my-example.com/', true],
    ['example.*', 'https://example.org/', true],
    ['example.*', 'https://example.evil.com/', false],
    ['api.*.example.com', 'https://api.eu.example.com/', true],
    ['api.*.example.com', 'https://api.eu.west.example.com/', false],
    ['api-*.example.com', 'https://api-1.example.com/', true],
    ['api-*.example.com', 'https://api-1.x.example.com/', false],
    ['*', 'https://whatever.test/', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['xn--bcher-kva.example', 'https://bücher.example/', true],
    ['*.bücher.example', 'https://a.xn--bcher-kva.example/', true],
    ['xn--pple-43d.com', 'https://apple.com/', false],
    ['127.0.0.1', 'http://127.0.0.1:3000/', true],
    ['127.0.0.1', 'http://2130706433/', true],
    ['127.0.0.1', 'http://0x7f.1/', true],
    ['[::1]', 'http://[::1]/', true],
  ])('domain:%s on %s: %s, as allow and as deny', (domain, url, expected) => {
    const rule = `WebFetch(domain:${domain})`
    expect(compiled(rule, allow).problem).toBeUndefined()
    expect(matches(rule, fetch(url), allow)).toBe(expected)
    expect(matches(rule, fetch(url), deny)).toBe(expected)
  })

  test('denies also what is only another form of the host', () => {
    expect(matches('WebFetch(domain:127.0.0.1)', fetch('http://[::ffff:127.0.0.1]/'), deny)).toBe(true)
    expect(matches('WebFetch(domain:127.0.0.1)', fetch('http://[::ffff:127.0.0.1]/'), allow)).toBe(false)
    expect(matches('WebFetch(domain:example.com)', fetch('example.com/a'), deny)).toBe(true)
    expect(matches('WebFetch(domain:example.com)', fetch('example.com/a'), allow)).toBe(false)
    expect(matches('WebFetch(domain:example.com)', fetch('//example.com/a'), deny)).toBe(true)
  })

  test.each([
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://exam\nple.com/',
    ' https://example.com/',
    'https://example.com/\t',
    'https:\\\\example.com/',
    'https:example.com',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://example.com\0.evil.test/',
    'https://\u202eexample.com/',
    '',
    5,
    undefined,
    ['https://example.com/'],
  ])('never allows %j, which programs may read differently', (url) => {
    for (const domain of ['example.com', '*.com', '*']) {
      expect(matches(`WebFetch(domain:${domain})`, fetch(url), allow), domain).toBe(false)
    }
  })

  test.each(['', 5, undefined, 'https://evil.test\0.example.com/', 'https://[', 'http://'])(
    'denies %j, whose host nobody can tell',
    (url) => {
      expect(matches('WebFetch(domain:example.com)', fetch(url), deny)).toBe(true)
    },
  )

  test.each(['example.com/path', 'https://example.com', 'user@example.com', 'example.com:8080', 'a b', '', 'a..b*'])(
    'with `%s` is a problem: it allows nothing and denies everything',
    (domain) => {
      const rule = `WebFetch(domain:${domain})`
      expect(compiled(rule, deny).problem?.problem).toBeTypeOf('string')
      expect(matches(rule, fetch('https://example.com/'), deny)).toBe(true)
      expect(matches(rule, fetch('https://example.com/'), allow)).toBe(false)
    },
  )

  test('holds for a fetching tool of a server that the tool table lists, with the field that it says', () => {
    const tools = { mcp__net__get: { as: 'WebFetch', url: 'uri' } }
    const call = {
      tool: { name: 'mcp__net__get', source: { server: 'net', tool: 'get' } },
      input: { uri: 'http://a.test' },
    }
    expect(matches('WebFetch(domain:a.test)', call, { ...deny, tools })).toBe(true)
    expect(matches('WebFetch(domain:a.test)', call, { ...allow, tools })).toBe(true)
    expect(matches('WebFetch(domain:b.test)', call, { ...deny, tools })).toBe(false)
  })

  test.each(['https://evil.test/*', 'http://evil.test:8080/x'])(
    'of an address (%s) is told to name the host',
    (text) => {
      for (const direction of [allow, deny]) {
        expect(compiled(`WebFetch(${text})`, direction).problem).toEqual({
          problem: 'its parentheses hold an address, and rules are about hosts',
          hint: 'Write `WebFetch(domain:evil.test)`, which is about everything on that host.',
        })
      }
      expect(matches(`WebFetch(${text})`, fetch('https://other.test'), deny)).toBe(true)
    },
  )
})
