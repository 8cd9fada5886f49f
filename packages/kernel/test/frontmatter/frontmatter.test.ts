import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFrontmatter, splitFrontmatter } from '../../src/frontmatter/index.js'

const ref = { layer: 'project', dialect: 'skills', file: '/SKILL.md' } as const
const parse = (text: string) => parseFrontmatter(text, ref)
const problems = async (text: string) =>
  (await parse(text)).diagnostics.map(({ code, source: { line, column } }) => `${line}:${column} ${code}`)

describe('a file with a header', () => {
  it('gives its fields with their place in the whole file, and the body byte for byte', async () => {
    const { document, body, diagnostics } = await parse('---\nname: a\ndescription: b\n---\n\n# Title\n')
    expect(document?.value).toEqual({ name: 'a', description: 'b' })
    expect(document?.at('/description')).toMatchObject({ file: '/SKILL.md', line: 3, column: 14 })
    expect(document?.located('/name', 'a').at('', 'key')).toMatchObject({ line: 2, column: 1 })
    expect([body, diagnostics]).toEqual(['\n# Title\n', []])
  })

  it.each([
    ['CRLF', '---\r\nname: a\r\n---\r\nbody\r\n', 'body\r\n'],
    ['a byte order mark', '\uFEFF---\nname: a\n---\nbody', 'body'],
    ['no body', '---\nname: a\n---', ''],
    ['a body that starts with a fence', '---\nname: a\n---\n---\nbody', '---\nbody'],
    ['a body with a fence of its own', '---\nname: a\n---\ntext\n---\nmore', 'text\n---\nmore'],
    ['a fence in a block scalar', '---\nname: a\ntext: |\n  ---\n  x\n---\nbody', 'body'],
    ['a fence in a value', '---\nname: a\ntitle: "---"\nrule: a --- b\n---\nbody', 'body'],
    ['a fence with more behind it in a block scalar', '---\nname: a\ntext: |\n  x\n ---\n---\nbody', 'body'],
    ['a mixed end of line', '---\nname: a\r\n---\r\nbody\n', 'body\n'],
  ])('is read with %s', async (_what, text, expected) => {
    const { document, body } = await parse(text)
    expect(body).toBe(expected)
    if (!text.includes(' ---\n---')) expect(document?.value).toMatchObject({ name: 'a' })
  })

  it.each(['---\n---\nbody', '---\n\n---\nbody', '---\n# only a comment\n---\nbody'])(
    'may have no fields: %j',
    async (text) => {
      const { document, body, diagnostics } = await parse(text)
      expect([document?.value, body, diagnostics]).toEqual([{}, 'body', []])
      expect(document?.at('/name').line).toBe(2)
    },
  )

  it.each(['--- ', '----', '---\t', '...', ' ---', '\t---', '--- # end', '\u00a0---'])(
    'is not closed by %j',
    async (line) => {
      expect(splitFrontmatter(`---\nname: a\n${line}\n`)).toMatchObject({ code: 'frontmatter.unclosed' })
    },
  )
})

describe('a file without a usable header says why', () => {
  it.each([
    ['none', '# Title\n', '1:1 frontmatter.missing'],
    ['an empty file', '', '1:1 frontmatter.missing'],
    ['a blank line first', '\n---\nname: a\n---\n', '1:1 frontmatter.missing'],
    ['a blank before the fence', ' ---\nname: a\n---\n', '1:1 frontmatter.missing'],
    ['a blank behind the fence', '--- \nname: a\n---\n', '1:1 frontmatter.missing'],
    ['lines that end with CR alone', '---\rname: a\r---\r', '1:1 frontmatter.missing'],
    ['four dashes', '----\nname: a\n---\n', '1:1 frontmatter.missing'],
    ['a language', '---js\nmodule.exports = 1\n---\n', '1:1 frontmatter.engine'],
    ['a language behind a blank', '--- json\n{}\n---\n', '1:1 frontmatter.engine'],
    ['no end', '---\nname: a\n', '1:1 frontmatter.unclosed'],
    ['nothing but the fence', '---', '1:1 frontmatter.unclosed'],
    ['a list', '---\n- a\n---\n', '2:1 config.shape'],
    ['a text', '---\njust words\n---\n', '2:1 config.shape'],
    ['a number', '---\n5\n---\n', '2:1 config.shape'],
    ['a tab', '---\nname:\n\tx: 1\n---\n', '3:1 config.syntax.yaml'],
    ['a colon in a plain text of a list', '---\nname: a\nlist:\n  - use: this: x\n---\n', '4:10 config.syntax.yaml'],
    ['a key twice', '---\nname: a\nname: b\n---\n', '3:1 config.syntax.yaml'],
    ['a document marker', '---\nname: a\n--- x\n---\n', '3:1 config.syntax.yaml'],
    ['an alias bomb', '---\na: &a [1]\nb: *c\n---\n', '3:4 config.syntax.yaml'],
    ['endless nesting', `---\na: ${'['.repeat(50_000)}\n---\n`, '2:103 config.syntax.yaml'],
  ])('%s', async (_what, text, expected) => {
    const { document, diagnostics } = await parse(text)
    expect(document).toBeUndefined()
    expect((await problems(text))[0]).toBe(expected)
    expect(diagnostics[0]).toMatchObject({ severity: 'error', hint: expect.stringMatching(/\S/) })
  })

  it('names the blanks that spoil the fence', async () => {
    expect((await parse('---  \nname: a\n---\n')).diagnostics[0]?.hint).toContain('"---  "')
  })

  it('names line breaks that are none', async () => {
    const [diagnostic] = (await parse('---\rname: a\r---\rBody.')).diagnostics
    expect(diagnostic).toMatchObject({
      message: 'The lines of the file end with CR alone, which is no line break here.',
      hint: 'Save the file with LF or CRLF as line breaks.',
    })
  })

  it('keeps the whole text as the body if there is no header, else what follows it', async () => {
    expect((await parse('# Title')).body).toBe('# Title')
    expect((await parse('---\n- a\n---\nbody')).body).toBe('body')
  })
})

describe('whatever header and body hold', () => {
  const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('---', '--- ', 'a: 1', '  ---', '', '\r', 'x'))
  const eol = fc.constantFrom('\n', '\r\n')

  it('the body comes back byte for byte, and header and body make up the file', () => {
    const header = fc.array(line.filter((text) => !/(^|\n)---\r?(\n|$)/.test(text) && !text.endsWith('\r')))
    const body = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(header, body, eol, fc.constantFrom('', '\uFEFF'), (lines, text, end, mark) => {
        const written = lines.map((each) => each + end).join('')
        const split = splitFrontmatter(`${mark}---${end}${written}---${end}${text}`)
        expect(split).toEqual({ header: written, headerStart: mark.length + 3 + end.length, body: text })
      }),
    )
  })

  it('positions point into the whole file', async () => {
    const key = fc.stringMatching(/^[a-z]{1,8}$/)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(key, { minLength: 1 }), eol, fc.string(), async (keys, end, body) => {
        const text = `---${end}${keys.map((each) => `${each}: v-${each}${end}`).join('')}---${end}${body}`
        const { document } = await parse(text)
        const rows = text.split('\n')
        for (const each of keys) {
          const { line: row = 0, column = 0, endColumn } = document?.at(`/${each}`) ?? {}
          expect(rows[row - 1]?.slice(column - 1, (endColumn ?? 0) - 1)).toBe(`v-${each}`)
        }
      }),
    )
  })

  it('nothing is thrown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line), eol, async (lines, end) => {
        const { document, diagnostics } = await parse(lines.join(end))
        expect(document === undefined).toBe(diagnostics.some((each) => each.severity === 'error'))
      }),
      { numRuns: 500 },
    )
  })
})
