import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  describe as describeValue,
  isForeignLayer,
  isMap,
  joinPointer,
  LAYERS,
  layerRank,
  parsePointer,
  valueAt,
} from '../src/index.js'

describe('a JSON pointer', () => {
  it('finds any key again', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '/', '~', '~0', '~1', '0', '') })), (keys) => {
        expect(parsePointer(joinPointer('', ...keys))).toEqual(keys)
      }),
    )
  })

  it.each([
    ['', { a: 1 }, { a: 1 }],
    ['/a', { a: 1 }, 1],
    ['/a/b~1c/0', { a: { 'b/c': ['x'] } }, 'x'],
    ['/a/1', { a: ['x'] }, undefined],
    ['/a/length', { a: ['x'] }, undefined],
    ['/constructor', {}, undefined],
    ['/__proto__', {}, undefined],
    ['/a/b', { a: 'text' }, undefined],
    ['/a', null, undefined],
  ])('%j leads to a part or to nothing', (pointer, root, expected) => {
    expect(valueAt(root, pointer)).toEqual(expected)
  })
})

describe('words for a value', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'a list'],
    [{}, 'a map'],
    ['x', 'the text "x"'],
    ['x'.repeat(100), `the text "${'x'.repeat(59)}…"`],
    [5, 'the number 5'],
    [true, 'the boolean true'],
  ])('%j', (value, words) => {
    expect(describeValue(value)).toBe(words)
  })

  it('and a map is an object that is no list', () => {
    expect([{}, [], null, 'x', undefined].map(isMap)).toEqual([true, false, false, false, false])
  })
})

describe('the layers', () => {
  it('are one list, nearest last, and managed wins', () => {
    expect(LAYERS.map(layerRank)).toEqual(LAYERS.map((_, index) => index))
    expect(LAYERS.at(-1)).toBe('managed')
    expect(LAYERS.filter(isForeignLayer)).toEqual(['plugin', 'project', 'local'])
  })
})
