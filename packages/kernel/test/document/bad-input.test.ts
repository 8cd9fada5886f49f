import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument, type TextFormat } from '../../src/index.js'

const ref = { layer: 'user', dialect: 'ext', file: '/f' } as const

/** What there is to say about a text, and whether it has a value. */
async function complaints(text: string, format: TextFormat) {
  const { document, diagnostics } = await parseDocument(text, format, ref)
  return {
    value: document?.value,
    usable: document !== undefined,
    said: diagnostics.map(({ code, message, source: { line, column } }) => `${line}:${column} ${code} ${message}`),
  }
}

describe('YAML that is not valid says where and why', () => {
  it.each([
    ['a tab as indentation', 'a:\n\tb: 1', '2:1', 'a tab is used for indentation; YAML allows spaces only'],
    ['a key that stands twice', 'a: 1\nb: 2\na: 3', '3:1', 'the same key stands twice in one map'],
    ['a key that stands twice deeper', 'x:\n  - {a: 1, a: 2}', '2:12', 'the same key stands twice in one map'],
    ['a number and a text that are the same key', '1: a\n"1": b', '2:1', 'the same key stands twice in one map'],
    [
      'an unclosed list',
      'a: [1, 2',
      '1:9',
      'Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'a colon in a plain text',
      'description: use: this',
      '1:14',
      'Nested mappings are not allowed in compact mappings',
    ],
    ['an unknown tag', 'run: !echo hi', '1:6', 'the tag is unknown; a text that starts with ! needs quotes'],
    ['an unknown alias', 'a: *b', '1:4', 'the alias refers to no anchor above it'],
    [
      'a template where a key belongs',
      'dir: {{ home }}',
      '1:7',
      'a map, list or alias stands where a key belongs; a text that starts with {, [ or * needs quotes',
    ],
    ['a second document', 'a: 1\n---\nb: 2', '2:1', 'a second document starts here'],
    ['an unknown directive', '%FOO\n---\na: 1', '1:1', 'Unknown directive %FOO'],
    [
      'an anchor inside itself',
      'a: &a\n  b: [1, *a]',
      '2:10',
      'an alias stands inside the very part that it refers to',
    ],
    ['a list inside itself', '&a [*a]', '1:5', 'an alias stands inside the very part that it refers to'],
  ])('%s', async (_what, text, place, why) => {
    const { usable, said } = await complaints(text, 'yaml')
    expect(usable).toBe(false)
    expect(said[0]).toBe(`${place} config.syntax.yaml Not valid YAML: ${why}.`)
  })
})

describe('JSON that is not valid says where and why', () => {
  it.each([
    ['nothing', '', '1:1', 'a value is expected here'],
    ['blanks', ' \n ', '2:2', 'a value is expected here'],
    ['a word', '{"a": yes}', '1:7', 'an unquoted word stands where a value or a quoted key is expected'],
    ['single quotes', "{'a': 1}", '1:2', 'an unquoted word stands where a value or a quoted key is expected'],
    ['no value', '{"a": }', '1:7', 'a value is expected here'],
    ['no colon', '{"a" 1}', '1:6', 'a colon is missing between key and value'],
    ['no comma', '{"a": 1 "b": 2}', '1:9', 'a comma is missing between two items'],
    ['no closing brace', '{"a": 1', '1:8', 'a closing } is missing'],
    ['no closing bracket', '[1', '1:3', 'a closing ] is missing'],
    ['a second value', '{}\n{}', '2:1', 'there is more text after the end of the value'],
    ['an open string', '{"a": "b', '1:7', 'a string is not closed'],
    ['an open comment', '{} /* x', '1:4', 'a comment is not closed'],
    ['a line break in a string', '{"a": "b\nc"}', '1:7', 'a string is not closed'],
    ['an unknown escape', '{"a": "\\x41"}', '1:7', 'a backslash escape is unknown'],
    ['a broken \\u', '{"a": "\\u12"}', '1:7', 'a \\u escape is malformed'],
    ['a control character', '{"a": "\u0001"}', '1:7', 'a control character stands inside a string'],
    ['a lone comma', '[,]', '1:2', 'a value is expected here'],
    ['two commas', '[1,,]', '1:4', 'a value is expected here'],
  ])('%s', async (_what, text, place, why) => {
    const { usable, said } = await complaints(text, 'json')
    expect(usable).toBe(false)
    expect(said[0]).toBe(`${place} config.syntax.json Not valid JSON: ${why}.`)
  })

  it('and the word of JSON.parse counts: what it refuses is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'{}[]":,\\tu1e-. \n\u00a0\v') }), async (text) => {
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          // Without comments, only a trailing comma is forgiven.
          if (/,\s*[\]}]/.test(text)) return
          expect((await complaints(text, 'json')).usable).toBe(false)
          return
        }
        expect((await complaints(text, 'json')).value).toEqual(value)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('JSON with comments and trailing commas', () => {
  it('is read, and said where it starts', async () => {
    const text = '{\n  // "not": a key\n  "url": "http://x", /* , } */\n  "list": [1, 2,],\n}\n'
    const { value, said } = await complaints(text, 'json')
    expect(value).toEqual({ url: 'http://x', list: [1, 2] })
    expect(said).toEqual(['2:3 config.syntax.json-comments The JSON holds comments or trailing commas.'])
  })

  it('keeps places and treats __proto__ as any key', async () => {
    const { document } = await parseDocument('{ // c\n "__proto__": {"x": 1,},\n}', 'json', ref)
    expect(Object.keys(document?.value ?? {})).toEqual(['__proto__'])
    expect(document?.value).not.toHaveProperty('x')
    expect(document?.at('/__proto__/x')).toMatchObject({ line: 2, column: 21 })
  })
})

describe('a key that stands twice in JSON', () => {
  it('is a warning with both places; the last one counts, as for JSON.parse', async () => {
    const text = '{"deny": [1],\n "x": {"a": 1, "a": 2},\n "deny": []}'
    const { document, diagnostics } = await parseDocument(text, 'json', ref)
    expect(document?.value).toEqual({ deny: [], x: { a: 2 } })
    expect(document?.at('/deny')).toMatchObject({ line: 3, column: 10 })
    expect(diagnostics).toMatchObject([
      {
        code: 'config.syntax.duplicate-key',
        severity: 'warning',
        source: { line: 2, column: 16 },
        related: [{ source: { line: 2, column: 8 } }],
      },
      {
        code: 'config.syntax.duplicate-key',
        severity: 'warning',
        source: { line: 3, column: 2 },
        related: [{ source: { line: 1, column: 2 } }],
      },
    ])
  })

  it('is not seen where there is none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        expect((await complaints(text, 'json')).said).toEqual([])
      }),
    )
  })
})

describe('what would exhaust the host', () => {
  const deep = (open: string, close: string, count = 100_000) => open.repeat(count) + close.repeat(count)

  it.each([
    ['lists in JSON', deep('[', ']'), 'json', '1:101'],
    ['lists without an end in JSON', deep('[', ''), 'json', '1:101'],
    ['maps in JSON', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'json', '1:501'],
    ['lists behind a comment in JSON', `// "\n${deep('[', ']')}`, 'json', '2:101'],
    ['lists behind an open string in JSON', `"\n${deep('[', ']')}`, 'json', '2:101'],
    ['flow lists in YAML', deep('[', ']'), 'yaml', '1:101'],
    ['flow lists without an end in YAML', deep('[', ''), 'yaml', '1:101'],
    ['flow maps in YAML', deep('{a: ', '}'), 'yaml', '1:401'],
    ['block lists in YAML', deep('- ', ''), 'yaml', '1:201'],
    ['explicit keys in YAML', deep('? ', ''), 'yaml', '1:201'],
  ] as const)('%s that are nested without end', async (_what, text, format, place) => {
    const { usable, said } = await complaints(text, format)
    expect(usable).toBe(false)
    expect(said).toEqual([
      `${place} config.syntax.${format} Not valid ${format.toUpperCase()}: maps and lists are nested more than 100 deep.`,
    ])
  })

  it.each(['json', 'yaml'] as const)('starts at 101 levels in %s', async (format) => {
    expect((await complaints(deep('[', ']', 100), format)).usable).toBe(true)
    expect((await complaints(deep('[', ']', 101), format)).usable).toBe(false)
  })

  it('depth that aliases add up to', async () => {
    const lines = Array.from(
      { length: 200 },
      (_, index) => `a${index}: &a${index} [${index > 0 ? `*a${index - 1}` : ''}]`,
    )
    const { usable, said } = await complaints(lines.join('\n'), 'yaml')
    expect(usable).toBe(false)
    expect(said[0]).toContain('nested more than 100 deep')
  })

  it('an alias bomb', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi']) {
      lines.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(', ')}]`)
    }
    const { usable, said } = await complaints(lines.join('\n'), 'yaml')
    expect(usable).toBe(false)
    expect(said).toEqual(['2:8 config.syntax.yaml Not valid YAML: its aliases multiply beyond the limit.'])
  })

  it('one large part that is repeated by alias', async () => {
    const text = `a: &a ${'x'.repeat(500_000)}\nb: [${Array.from({ length: 50 }, () => '*a').join(', ')}]`
    const { usable, said } = await complaints(text, 'yaml')
    expect(usable).toBe(false)
    expect(said[0]).toMatch(/^2:\d+ config\.syntax\.yaml Not valid YAML: its aliases multiply beyond the limit\.$/)
  })

  it('but not a few aliases, nor a large file without any', async () => {
    expect((await complaints('a: &a {x: 1}\nb: [*a, *a, *a]', 'yaml')).value).toEqual({
      a: { x: 1 },
      b: [{ x: 1 }, { x: 1 }, { x: 1 }],
    })
    const large = Array.from({ length: 50_000 }, (_, index) => `key${index}: ${index}`).join('\n')
    const { document, diagnostics } = await parseDocument(large, 'yaml', ref)
    expect(diagnostics).toEqual([])
    // Asking for every place would take minutes if each were searched for.
    for (let index = 0; index < 50_000; index++) expect(document?.at(`/key${index}`).line).toBe(index + 1)
  })

  it('and thousands of syntax errors are cut short', async () => {
    const { said } = await complaints('a: !x 1\n'.repeat(1000), 'yaml')
    expect(said).toHaveLength(10)
  })
})
