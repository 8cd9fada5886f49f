import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs, mayRepeat } from '../../src/govern/repeat.js'

const info = (trusted: boolean, readOnly: boolean, idempotent: boolean) => ({
  source: { tool: 't', trusted },
  annotations: { readOnly, idempotent, destructive: true, openWorld: true },
})

test('only tools that change nothing more the second time are repeated, and only if the server is trusted to say so', () => {
  expect(mayRepeat(info(true, true, false))).toBe(true)
  expect(mayRepeat(info(true, false, true))).toBe(true)
  expect(mayRepeat(info(true, false, false))).toBe(false)
  expect(mayRepeat(info(false, true, true))).toBe(false)
})

test('waits double up to the longest one, and never fall below half of it', () => {
  const limits = { minMs: 500, maxMs: 30_000 }
  expect([1, 2, 3, 7, 1000].map((attempt) => backoffMs(attempt, limits, 1))).toEqual([500, 1000, 2000, 30_000, 30_000])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
      const ms = backoffMs(attempt, limits, chance)
      expect(ms).toBeGreaterThanOrEqual(250)
      expect(ms).toBeLessThanOrEqual(30_000)
    }),
    { seed: 8 },
  )
})
