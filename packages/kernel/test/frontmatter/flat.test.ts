import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sourceOf, toDocument } from '../../src/document/document.js'
import { parseYaml } from '../../src/document/parse-yaml.js'
import type { Parsed } from '../../src/document/parsed.js'
import { readFlat } from '../../src/frontmatter/flat.js'
import { SourceText } from '../../src/text.js'

const ref = { layer: 'project', dialect: 'skills', file: '/SKILL.md' } as const

/** Everything that can be seen of a parse. */
function seen(parsed: Parsed, text: string) {
  const { document, diagnostics } = toDocument(parsed, 'yaml', ref, new SourceText(text), 0)
  if (!document) return diagnostics
  const pointers = ['', '/none', ...Object.keys(document.value ?? {}).flatMap((key) => [`/${key}`, `/${key}/0`])]
  const places = pointers.flatMap((pointer) => [document.at(pointer), document.at(pointer, 'key')])
  return { value: document.value, type: sourceOf(ref), places, diagnostics }
}

describe('the reader of flat headers', () => {
  it.each([
    [
      'name: a\ndescription: Some words, (and) more - of [them]\n',
      { name: 'a', description: 'Some words, (and) more - of [them]' },
    ],
    ['a: \'b: c\'\nd: "e # f"\r\ng-h_1: true\n', { a: 'b: c', d: 'e # f', 'g-h_1': true }],
    ['a: Käse  ', { a: 'Käse' }],
  ])('reads %j', (text, expected) => {
    expect(readFlat(text)?.value).toEqual(expected)
  })

  it.each([
    '',
    'a:\n',
    'a: 1',
    'a: null',
    'a: True',
    'a: b: c',
    'a: b #c',
    'a: |\n  b',
    'a: b\n c',
    'a: b\n\nc: d',
    '# a',
    'a: [b]',
    'a: "\\n"',
    'a: b\na: c',
    'true: a',
    'a: \tb',
    '- a',
    'a: ~',
    'a: -b',
    'a:b',
    ' a: b',
  ])('leaves %j to the YAML parser', (text) => {
    expect(readFlat(text)).toBeUndefined()
  })

  it('says what the YAML parser says, in values, types and places', async () => {
    const unit = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...'abnty -', 'true', 'null', 'false', '.', ',', '1') },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          ...':#\'"[]{}&*!|>%@`?~=\\\t',
          ': ',
          ' #',
          'é',
          '\u{1f600}',
          '\ud800',
          '\0',
          '\x85',
          '\u2028',
          '\u00a0',
          '\ufeff',
          '\r',
          '\x7f',
        ),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 1 }) },
    )
    const value = fc.array(unit, { minLength: 1, maxLength: 8 }).map((units) => units.join(''))
    const quoted = fc.tuple(fc.constantFrom('"', "'"), value).map(([quote, text]) => quote + text + quote)
    const often = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd })
    const key = often(
      fc.constantFrom('a', 'b', 'name', 'x-y', 'a_1', 'constructor', 'y'),
      fc.oneof(value, fc.constantFrom('true', 'Null', '__proto__', '"a"', '1', '')),
    )
    const line = fc
      .tuple(
        key,
        often(fc.constant(': '), fc.constantFrom(':  ', ':', ' : ', ':\t')),
        fc.oneof(
          value,
          quoted,
          value.map((text) => `w${text}`),
        ),
        often(fc.constantFrom('\n', '\r\n', '  \n'), fc.constantFrom('\n\n', '\t\n', '\r', '')),
      )
      .map((parts) => parts.join(''))
    let read = 0
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), fc.boolean(), async (lines, open) => {
        const text = open ? lines.join('').replace(/\n$/, '') : lines.join('')
        const flat = readFlat(text)
        if (!flat) return
        read++
        expect([text, seen(flat, text)]).toEqual([text, seen(await parseYaml(text), text)])
      }),
      { numRuns: 20_000 },
    )
    expect(read).toBeGreaterThan(3000)
  })
})
