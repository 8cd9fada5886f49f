import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type ConfigDocument, joinPointer, parseDocument, type Source, type TextFormat } from '../../src/index.js'

const ref = { layer: 'user', dialect: 'ext', file: '/f' } as const

async function parse(text: string, format: TextFormat = 'yaml') {
  return parseDocument(text, format, ref)
}

async function valid(text: string, format: TextFormat = 'yaml'): Promise<ConfigDocument> {
  const { document, diagnostics } = await parse(text, format)
  expect(diagnostics).toEqual([])
  if (!document) throw new Error('no document')
  return document
}

/** The text that a place covers. */
function cut(text: string, source: Source): string {
  const lines = text.split('\n')
  const offset = (line = 0, column = 0) => lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1
  return text.slice(offset(source.line, source.column), offset(source.endLine, source.endColumn))
}

const YAML = `# a comment
servers:
  fs:          # the first
    command: npx
    args: [-y, "server"]
  "quoted key":
    env:
      A: "1"
list:
  - name: one
  - name: two
empty:
"a/b": slash
"c~d": tilde
`

const JSON_TEXT = `{
\t"servers": {
\t\t"fs": { "command": "npx", "args": ["-y", "server"] },
\t\t"quoted \\"key": { "env": { "A": "1" } }
\t},
\t"list": [{ "name": "one" }, { "name": "two" }],
\t"a/b": "slash",
\t"c~d": "tilde",
\t"__proto__": { "x": 1 }
}`

describe('the place of', () => {
  it.each([
    ['a value', '/servers/fs/command', 'value', 'npx'],
    ['a key', '/servers/fs/command', 'key', 'command'],
    ['a value in a flow list', '/servers/fs/args/1', 'value', '"server"'],
    ['a quoted key', '/servers/quoted key', 'key', '"quoted key"'],
    ['a value below a quoted key', '/servers/quoted key/env/A', 'value', '"1"'],
    ['an item of a list', '/list/1/name', 'value', 'two'],
    ['a key without a value', '/empty', 'value', 'empty'],
    ['a key that holds a slash', '/a~1b', 'value', 'slash'],
    ['a key that holds a tilde', '/c~0d', 'key', '"c~d"'],
    ['a missing field (its map)', '/servers/fs/cwd', 'value', 'command: npx\n    args: [-y, "server"]\n'],
    ['a missing key below a text (the text)', '/servers/fs/command/x/y', 'value', 'npx'],
    ['a missing item (its list)', '/list/7', 'value', '- name: one\n  - name: two\n'],
    ['an item without a key of its own', '/list/0', 'key', 'name: one\n'],
  ] as const)('%s in YAML', async (_what, pointer, part, text) => {
    const document = await valid(YAML)
    expect(cut(YAML, document.at(pointer, part)).trimEnd()).toBe(text.trimEnd())
    // The same with CRLF: lines and columns don't change.
    const crlf = await valid(YAML.replaceAll('\n', '\r\n'))
    const { line, column } = document.at(pointer, part)
    expect(crlf.at(pointer, part)).toMatchObject({ line, column })
  })

  it.each([
    ['a value', '/servers/fs/command', 'value', '"npx"'],
    ['a key', '/servers/fs/command', 'key', '"command"'],
    ['an item', '/servers/fs/args/1', 'value', '"server"'],
    ['a key with an escape', '/servers/quoted "key', 'key', '"quoted \\"key"'],
    ['a field in a list', '/list/1/name', 'value', '"two"'],
    ['a key that holds a slash', '/a~1b', 'value', '"slash"'],
    ['a key that holds a tilde', '/c~0d', 'key', '"c~d"'],
    ['a missing field (its map)', '/list/0/x', 'value', '{ "name": "one" }'],
    ['a missing item (its list)', '/servers/fs/args/5', 'value', '["-y", "server"]'],
    ['a key called __proto__', '/__proto__/x', 'value', '1'],
    ['something inherited (its map)', '/list/0/constructor', 'value', '{ "name": "one" }'],
  ] as const)('%s in JSON', async (_what, pointer, part, text) => {
    const document = await valid(JSON_TEXT, 'json')
    expect(cut(JSON_TEXT, document.at(pointer, part))).toBe(text)
    const crlf = await valid(JSON_TEXT.replaceAll('\n', '\r\n'), 'json')
    const { line, column } = document.at(pointer, part)
    expect(crlf.at(pointer, part)).toMatchObject({ line, column })
  })

  it('the whole of an empty text is its start', async () => {
    const document = await valid('')
    expect(document.value).toBe(null)
    expect(document.at('/anything')).toMatchObject({ line: 1, column: 1 })
  })

  it('a part that is reached through an alias is where the anchor stands', async () => {
    const text = 'base: &base\n  size: 3\ntoy: *base\n'
    const document = await valid(text)
    expect(document.at('/toy/size')).toMatchObject({ line: 2, column: 9 })
    expect(document.at('/toy')).toMatchObject({ line: 3, column: 6 })
  })

  it.each(['yaml', 'json'] as const)('what stands behind a byte order mark in %s does not count it', async (format) => {
    const document = await valid('\uFEFF{"a": 1}', format)
    expect(document.at('/a')).toMatchObject({ line: 1, column: 7 })
  })

  it('an entry travels with it, also for parts of a part', async () => {
    const document = await valid(YAML)
    const entry = document.located('/servers/fs', {})
    expect(entry.id).toBe('user:/f#/servers/fs')
    expect(cut(YAML, entry.at('/args/0'))).toBe('-y')
    expect(entry.at()).toEqual(document.at('/servers/fs'))
  })

  it.each([
    ['yaml', (value: unknown) => stringify(value)],
    ['json', (value: unknown) => JSON.stringify(value, null, 1)],
  ] as const)('every part of any %s document covers a text that parses to that part', async (format, write) => {
    const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ maxLength: 8 }))
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), tie('tree'), { maxKeys: 3 }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(tree, async (value) => {
        const text = write(value)
        const { document } = await parse(text, format)
        const visit = async (part: unknown, pointer: string): Promise<void> => {
          const place = document?.at(pointer)
          // Block scalars and collections depend on the indentation of their first line, which the cut lacks.
          if (place && (format === 'json' || (place.line === place.endLine && typeof part !== 'object'))) {
            expect((await parse(cut(text, place), format)).document?.value).toEqual(part)
          }
          if (typeof part !== 'object' || part === null) return
          for (const [key, inner] of Object.entries(part)) await visit(inner, joinPointer(pointer, key))
        }
        await visit(value, '')
      }),
    )
  })
})

describe('a value that was never text', () => {
  it('has a name instead of a place', async () => {
    const { openDocument } = await import('../../src/index.js')
    const { memoryFiles } = await import('../../src/testing/index.js')
    const source = { kind: 'value', layer: 'command-line', dialect: 'ext', name: '--allow', value: { a: 1 } } as const
    const { document, diagnostics, record } = await openDocument(source, memoryFiles({}))
    expect(document?.at('/a')).toEqual({ layer: 'command-line', name: '--allow' })
    expect([diagnostics, record]).toEqual([[], undefined])
  })
})
