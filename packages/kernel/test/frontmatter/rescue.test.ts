import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFrontmatter } from '../../src/frontmatter/index.js'

const ref = { layer: 'project', dialect: 'skills', file: '/SKILL.md' } as const
const parse = (header: string, restricting: readonly string[] = []) =>
  parseFrontmatter(`---\n${header}\n---\nbody`, ref, { restricting })

describe('a colon in a text without quotes', () => {
  it('is read as a text, with a warning that says where and what to write', async () => {
    const { document, body, diagnostics } = await parse("name: a\ndescription: Don't: use this: ever\nlist: [1]")
    expect(document?.value).toEqual({ name: 'a', description: "Don't: use this: ever", list: [1] })
    expect(body).toBe('body')
    expect(diagnostics).toMatchObject([
      {
        code: 'frontmatter.rescued',
        severity: 'warning',
        hint: "Write description: 'Don''t: use this: ever'",
        pointer: '/description',
        source: { file: '/SKILL.md', line: 3, column: 14, endLine: 3, endColumn: 35 },
      },
    ])
    expect(document?.at('/list/0')).toMatchObject({ line: 4, column: 8 })
  })

  it.each([
    ['a colon at the end', 'description: Use this:', { description: 'Use this:' }],
    ['blanks around', 'description:   Use: this  \nname: a', { description: 'Use: this', name: 'a' }],
    ['CRLF', 'description: Use: this\r\nname: a\r', { description: 'Use: this', name: 'a' }],
    ['two of them', 'a: b: c\nd: e: f', { a: 'b: c', d: 'e: f' }],
    ['more that YAML takes', 'a: b: c\nd: |\n  e: f: g\nh: "i: j"', { a: 'b: c', d: 'e: f: g\n', h: 'i: j' }],
    ['letters of two units', 'a: \u{1f600}: c\nb: 1', { a: '\u{1f600}: c', b: 1 }],
    ['a name of JavaScript', '__proto__: b: c', JSON.parse('{"__proto__":"b: c"}')],
  ])('is rescued with %s', async (_what, header, expected) => {
    const { document, diagnostics } = await parse(header)
    expect(document?.value).toEqual(expected)
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(['frontmatter.rescued']))
  })

  it.each([
    ['below the top level', 'a:\n  b: c: d'],
    ['in a list', 'a:\n  - b: c: d'],
    ['on two lines', 'a: b: c\n  d'],
    ['behind a quote', 'a: "b" c: d'],
    ['in a list on one line', 'a: [b: c: d'],
    ['in a map on one line', 'a: {b: c: d'],
    ['at the start of a block', 'a: | b: c'],
    ['behind an anchor', 'a: &b c: d'],
    ['behind an alias', 'a: *b c: d'],
    ['behind a tag', 'a: !b c: d'],
    ['before what may be a comment', 'a: b: c # d'],
    ['before what may be a comment behind a tab', 'a: b: c\t# d'],
    ['with a dash at the start', 'a: - b: c'],
    ['next to another error', 'a: b: c\nd: "e'],
    ['with its key twice', 'a: b: c\na: d'],
    ['with a key in quotes', '"a": b: c'],
  ])('is not rescued %s', async (_what, header) => {
    const { document, diagnostics } = await parse(header)
    expect(document).toBeUndefined()
    expect(diagnostics[0]).toMatchObject({ code: 'config.syntax.yaml', severity: 'error' })
  })

  it.each(['disallowed-tools', 'disallowedTools', 'disallowed_tools', 'Disallowed tools', 'Restrict'])(
    'is not rescued next to %s, which limits something',
    async (key) => {
      const limits = ['disallowed-tools', 'restrict']
      const { document, body, diagnostics } = await parse(`name: a\ndescription: b: c\n${key}: Bash`, limits)
      expect([document, body]).toEqual([undefined, 'body'])
      expect(diagnostics.map(({ code, severity, source }) => [code, severity, source.line])).toEqual([
        ['config.syntax.yaml', 'error', 3],
        ['frontmatter.rescue-refused', 'error', 4],
      ])
      expect((await parse(`name: a\ndescription: 'b: c'\n${key}: Bash`, limits)).document).toBeDefined()
    },
  )

  it('is rescued next to fields that limit nothing', async () => {
    const { document } = await parse('a: b: c\nallowed-tools: Bash', ['disallowed-tools'])
    expect(document?.value).toEqual({ a: 'b: c', 'allowed-tools': 'Bash' })
  })

  it('is rescued to what quotes would have made of it, in value and places', async () => {
    const text = fc
      .string({ unit: fc.constantFrom(...'ab:# \'"[-,é', '\u{1f600}'), maxLength: 12 })
      .map((end) => `x: ${end}`.trimEnd())
    const value = fc.oneof(text, fc.constantFrom('plain', '[1, 2]', '"a: b"', '5'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('\n', '\r\n'),
        async (values, eol) => {
          const header = (write: (text: string) => string) =>
            values.map((each, index) => `k${index}: ${each.startsWith('x:') ? write(each) : each}${eol}`).join('')
          const bare = await parse(header((each) => each))
          if (!bare.document) {
            expect(values.some((each) => /\s#/.test(each))).toBe(true)
            return
          }
          const quoted = await parse(header((each) => `'${each.replaceAll("'", "''")}'`))
          expect(bare.document.value).toEqual(quoted.document?.value)
          for (const [index, each] of values.entries()) {
            expect(bare.document.at(`/k${index}`)).toMatchObject({
              line: index + 2,
              column: 5,
              endColumn: 5 + each.length,
            })
          }
        },
      ),
      { numRuns: 1000 },
    )
  })
})
