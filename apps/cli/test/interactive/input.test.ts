import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Editor, EMPTY, edit } from '../../src/interactive/input/editor.js'
import { complete, fitting } from '../../src/interactive/input/hints.js'
import { historyOf, remember, step } from '../../src/interactive/input/history.js'
import { inputArea } from '../../src/interactive/input/line.js'
import type { Key } from '../../src/interactive/terminal/keys.js'
import { widthOf } from '../../src/interactive/terminal/rows.js'

function key(name: string, more: Partial<Key> = {}): Key {
  return { name, sequence: name.length === 1 ? name : '', ctrl: false, meta: false, shift: false, ...more }
}

const ctrl = (name: string) => key(name, { ctrl: true, sequence: '\u0001' })
const meta = (name: string) => key(name, { meta: true, sequence: `\u001b${name}` })
const typed = (text: string): Key => ({ sequence: text, ctrl: false, meta: false, shift: false })
const paste = (text: string): Key => ({ ...typed(text), name: 'paste' })

/** `|` is the cursor. */
function after(written: string, ...keys: readonly Key[]): string {
  const cursor = written.indexOf('|')
  const start: Editor = { ...EMPTY, text: written.replace('|', ''), cursor }
  const { text, cursor: at } = keys.reduce(edit, start)
  return `${text.slice(0, at)}|${text.slice(at)}`
}

describe('the input', () => {
  test.each([
    ['writes at the cursor', 'pa|er', [typed('p')], 'pap|er'],
    ['removes a whole character', 'a👩‍👩‍👧|b', [key('backspace')], 'a|b'],
    ['moves by whole characters', 'a👩‍👩‍👧|b', [key('left')], 'a|👩‍👩‍👧b'],
    ['moves by words', 'fold the boat|', [meta('b'), meta('b')], 'fold |the boat'],
    ['moves by words with Ctrl and an arrow', '|fold the', [ctrl('right')], 'fold| the'],
    ['moves to the beginning and the end of a line', 'one\ntw|o\nthree', [ctrl('a')], 'one\n|two\nthree'],
    ['moves to the end of a line', 'one\nt|wo\nthree', [ctrl('e')], 'one\ntwo|\nthree'],
    ['moves to the line above, in its column', 'one\ntwo!|', [key('up')], 'one|\ntwo!'],
    ['moves to the line below', 'o|ne\ntwo', [key('down')], 'one\nt|wo'],
    ['cuts a word and puts it back', 'fold the boat|', [ctrl('w'), ctrl('a'), ctrl('y')], 'boat|fold the '],
    ['cuts up to the end of the line', 'fold| the\nboat', [ctrl('k')], 'fold|\nboat'],
    ['cuts up to the beginning of the line', 'a\nfold| the', [ctrl('u')], 'a\n| the'],
    ['joins lines', 'one|\ntwo', [ctrl('k')], 'one|two'],
    ['begins a line with Alt+Enter', 'one|', [key('return', { meta: true })], 'one\n|'],
    ['begins a line with Enter behind a backslash', 'one\\|', [key('return')], 'one\n|'],
    ['takes a paste as it is', '|', [paste('one\r\n\ttwo\u001b[31m')], 'one\n  two[31m|'],
    ['has no room for what would act on the terminal', 'a|', [typed('\u0007')], 'a|'],
    ['removes what is under the cursor', '|ab', [key('delete')], '|b'],
  ])('%s', (_says, written, keys, expected) => {
    expect(after(written, ...keys)).toBe(expected)
  })

  test('gives a key back that means nothing in it', () => {
    const editor = { ...EMPTY, text: 'one', cursor: 3 }
    for (const each of [
      key('escape'),
      key('tab', { sequence: '\t' }),
      key('return', { sequence: '\r' }),
      ctrl('c'),
      key('up'),
      key('down'),
    ])
      expect(edit(editor, each)).toBe(editor)
    expect(edit(EMPTY, ctrl('d'))).toBe(EMPTY)
  })

  test('keeps the cursor between characters, whatever is pressed', () => {
    const keys = fc.constantFrom<Key>(
      ...['left', 'right', 'up', 'down', 'home', 'end', 'backspace', 'delete'].map((name) => key(name)),
      ...['a', 'e', 'k', 'u', 'w', 'y', 'b', 'f', 'd'].map(ctrl),
      ...['b', 'f', 'd'].map(meta),
      ...['x', '日', 'é', '👍🏽'].map(typed),
      key('return', { meta: true }),
      paste('one\ntwo 👩‍👩‍👧'),
    )
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 40 }), (pressed) => {
        const { text, cursor } = pressed.reduce(edit, EMPTY)
        const borders = new Set([text.length, ...[...new Intl.Segmenter().segment(text)].map(({ index }) => index)])
        expect(borders.has(cursor)).toBe(true)
      }),
    )
  })

  test('is drawn in rows that fit, with the cursor in them', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.nat(200),
        fc.integer({ min: 6, max: 90 }),
        (raw, at, columns) => {
          const text = raw.replace(/\p{C}/gu, '')
          const borders = [...[...new Intl.Segmenter().segment(text)].map(({ index }) => index), text.length]
          const cursor = borders[at % borders.length] ?? 0
          const area = inputArea({ ...EMPTY, text, cursor }, '> ', columns)
          for (const row of area.rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
          expect(area.rows.length).toBeLessThanOrEqual(10)
          expect(area.rows[area.cursor.row]).toBeDefined()
          expect(area.cursor.column).toBeLessThan(columns)
        },
      ),
    )
  })
})

describe('earlier prompts', () => {
  test('come back one by one, and what was being written last', () => {
    let history = remember(remember(historyOf([]), 'one'), 'two')
    const shown: string[] = []
    for (const by of ['older', 'older', 'older', 'newer', 'newer', 'newer'] as const) {
      const found = step(history, by, shown.at(-1) ?? 'draft')
      if (!found) continue
      history = found.history
      shown.push(found.text)
    }
    expect(shown).toEqual(['two', 'one', 'two', 'draft'])
  })

  test('are kept once when they are sent twice in a row, and not when they are blank', () => {
    expect(remember(remember(historyOf(['one']), 'one'), ' ').entries).toEqual(['one'])
  })
})

describe('what a line can begin with', () => {
  const list = ['/mcp', '/model', '/mcp__boats__fold', '/help'].map((name) => ({ name, summary: '' }))

  test('is offered as long as nothing but its beginning is written', () => {
    expect(fitting('/M', list).map(({ name }) => name)).toEqual(['/mcp', '/model', '/mcp__boats__fold'])
    expect(fitting('/mcp now', list)).toEqual([])
    expect(fitting('say /m', list)).toEqual([])
  })

  test('is completed as far as all go on alike', () => {
    expect(complete('/m', list)).toBe('/m')
    expect(complete('/mc', list)).toBe('/mcp')
    expect(complete('/he', list)).toBe('/help ')
    expect(complete('/none', list)).toBe('/none')
    expect(complete('/mcp__', list)).toBe('/mcp__boats__fold ')
  })
})
