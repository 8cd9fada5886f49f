import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFrontmatter, readSimpleHeader } from '../../src/frontmatter/index.js'
import type { Located } from '../../src/index.js'

const place = { layer: 'project', dialect: 'skills', before: '/skills/', behind: '/SKILL.md' } as const
const file = '/skills/deploy/SKILL.md'

function seen(entry: Located<unknown>) {
  const { id, value, source, pointer } = entry
  const pointers = ['', '/none', ...Object.keys(value ?? {}).map((key) => `/${key}`)]
  const places = pointers.flatMap((each) => [entry.at(each), entry.at(each, 'key')])
  return { id, value, source, pointer, places }
}

describe('a header that needs no parser', () => {
  it('is the entry that the parser gives, before and after it let go of its value', async () => {
    const word = fc.constantFrom('deploy', 'Ships it', 'Käse', "'a: b'", 'true', 'a:b', 'a #b', '1', 'x  y', '')
    const line = fc.tuple(fc.constantFrom('name', 'description', 'license'), word, fc.constantFrom('\n', '\r\n', ' \n'))
    let read = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', 'Body'),
        async (lines, body) => {
          const text = `---\n${lines.map(([key, value, end]) => `${key}: ${value}${end}`).join('')}---\n${body}`
          const simple = readSimpleHeader(text, file, place)
          if (!simple) return
          read++
          const { document } = await parseFrontmatter(text, { layer: 'project', dialect: 'skills', file })
          const expected = document && seen(document.located('', document.value))
          expect(seen(simple)).toEqual(expected)
          simple.settle()
          simple.settle()
          expect(seen(simple)).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
    expect(read).toBeGreaterThan(100)
  })

  it.each(['', 'No header', '---\nname: a', '---\nname: [a]\n---\n', '---\n---\n', '--- yaml\nname: a\n---\n'])(
    'is none of %j',
    (text) => {
      expect(readSimpleHeader(text, file, place)).toBeUndefined()
    },
  )

  it('is read as fast when it is as long as a file may be, whatever is in it', () => {
    for (const value of ['a'.repeat(1_000_000), `a${' '.repeat(1_000_000)}#`, 'a: '.repeat(300_000)]) {
      readSimpleHeader(`---\nname: ${value}\n---\n`, file, place)
    }
  })

  it('says quickly where each of thousands of fields stands', () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => `key${index}`)
    const text = `---\n${fields.map((field) => `${field}: x\n`).join('')}---\n`
    const header = readSimpleHeader(text, file, place)
    expect(fields.map((field) => header?.at(`/${field}`, 'key').line)).toEqual(fields.map((_, index) => index + 2))
    expect(header?.value['key7']).toBe('x')
  })
})
