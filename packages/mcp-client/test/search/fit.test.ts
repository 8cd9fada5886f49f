import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitFound } from '../../src/search/fit.js'

const sizes: Readonly<Record<string, number>> = { a: 10, b: 20, c: 30, huge: 1000 }
const sizeOf = (name: string) => sizes[name]

test.each([
  [['a', 'b', 'c'], 60, ['a', 'b', 'c'], []],
  [['a', 'b', 'c'], 55, ['b', 'c'], ['a']],
  [['a', 'b', 'c'], 35, ['c'], ['a', 'b']],
  [['a', 'huge', 'b'], 30, ['a', 'b'], ['huge']],
  [['a', 'gone', 'b'], 30, ['a', 'gone', 'b'], []],
  [['a'], 0, [], ['a']],
])('of %j in %i tokens %j are listed', (found, room, listed, dropped) => {
  expect(fitFound(found, sizeOf, room)).toEqual({ listed, dropped })
})

test('nothing is lost, the order stays, there is room for all, and the newest that can be listed is', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 8 })
  fc.assert(
    fc.property(names, fc.nat(100), fc.func(fc.nat(60)), (found, room, size) => {
      const { listed, dropped } = fitFound(found, size, room)
      expect([...listed, ...dropped].toSorted()).toEqual(found.toSorted())
      expect(found.filter((name) => listed.includes(name))).toEqual(listed)
      expect(listed.reduce((sum, name) => sum + size(name), 0)).toBeLessThanOrEqual(room)
      const newest = found.findLast((name) => size(name) <= room)
      if (newest !== undefined) expect(listed).toContain(newest)
    }),
    { seed: 9, numRuns: 300 },
  )
})
