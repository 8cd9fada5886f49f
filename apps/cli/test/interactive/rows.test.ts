import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createProse } from '../../src/interactive/draw/prose.js'
import { charactersOf } from '../../src/interactive/terminal/characters.js'
import { cutTo, hang, widthOf, wrap } from '../../src/interactive/terminal/rows.js'

const words = fc.array(fc.constantFrom('boat', 'fold', '日本', 'paper-boat-paper-boat', 'a', '👩‍👩‍👧', '\n', '  '), {
  maxLength: 30,
})
const texts = words.map((list) => list.join(' '))
const squeezed = (text: string) => text.replace(/\s+/g, '')

describe('characters', () => {
  test('are those of the standard, however long a text or a character is', () => {
    const parts = [
      'boat ',
      '日本',
      '👩‍👩‍👧',
      '🇩🇪🇫🇷',
      'e\u0301',
      '\u0301'.repeat(700),
      '\r\n',
      '\ud800',
      'a'.repeat(510),
    ]
    const segmenter = new Intl.Segmenter()
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 20 }), (list) => {
        const text = list.join('')
        expect([...charactersOf(text)]).toEqual([...segmenter.segment(text)].map(({ segment }) => segment))
      }),
    )
  })
})

describe('rows', () => {
  test('fit the terminal and lose nothing that can be seen', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 8, max: 90 }), (text, columns) => {
        const rows = wrap(text, columns)
        for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
        expect(squeezed(rows.join(''))).toBe(squeezed(text))
      }),
    )
  })

  test('that hang have room for what stands in front of them', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 12, max: 90 }), (text, columns) => {
        for (const row of hang('● ', text, columns)) expect(widthOf(row)).toBeLessThanOrEqual(columns)
      }),
    )
  })

  test('go on below an indented beginning', () => {
    expect(wrap('  fix: Check the command and write it anew.', 24)).toEqual(
      ['  fix: Check the command', '  and write it anew.'].map((row) =>
        expect.stringMatching(new RegExp(`^${row} ?$`)),
      ),
    )
  })

  test('that are cut end with a mark and never inside a character', () => {
    expect(cutTo('日本語', 4)).toBe('日…')
    expect(cutTo('boat', 4)).toBe('boat')
    expect(cutTo('a👩‍👩‍👧b', 3)).toBe('a…')
  })
})

describe('an answer that streams in', () => {
  test('makes the same rows in whatever pieces it comes', () => {
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.nat(7), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 10, max: 60 }),
        (text, cuts, columns) => {
          const whole = createProse(() => columns)
          const expected = [...whole.add(text, undefined), ...whole.end()]
          const parts = createProse(() => columns)
          const rows: string[] = []
          const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
          for (let at = 0, turn = 0; at < characters.length; turn++) {
            const size = 1 + (cuts[turn % cuts.length] ?? 0)
            rows.push(...parts.add(characters.slice(at, at + size).join(''), undefined))
            at += size
          }
          rows.push(...parts.end())
          expect(squeezed(rows.join(''))).toBe(squeezed(expected.join('')))
          for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })

  test('shows what is not a whole row yet', () => {
    const prose = createProse(() => 20)
    expect(prose.add('The first', undefined)).toEqual([''])
    expect(prose.live()).toEqual(['The first'])
    expect(prose.add(' half of the answer', undefined)).toEqual(['The first half of'])
    expect(prose.live()).toEqual(['the answer'])
    expect(prose.end()).toEqual(['the answer'])
    expect(prose.live()).toEqual([])
  })

  test('of a sub-agent says whose it is', () => {
    const prose = createProse(() => 20)
    expect(prose.add('I read.\n', 'reader')).toEqual(['', 'reader ›', '  I read.'])
  })
})
