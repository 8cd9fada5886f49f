import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from '../../src/duration/index.js'

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
    ['24h', 86_400_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toEqual({ ms })
  })

  it('needs a unit', () => {
    expect(parseDuration(30).problem).toBe('30 has no unit; write "30s" for seconds or "30ms" for milliseconds')
  })

  it.each(['0s', '0', '-5s', '', '5 minutes', '1.5s', '30m1h', '25h', '30', null, true, {}])('%j is none', (value) => {
    expect(parseDuration(value).ms).toBeUndefined()
    expect(parseDuration(value).problem).toMatch(/./)
  })

  it.each([
    [30, 's', 30_000],
    [0.5, 's', 500],
    [30, 'ms', 30],
    ['30s', 'ms', 30_000],
  ] as const)('%j without a unit has the one that the dialect gives it: %s', (value, bareUnit, ms) => {
    expect(parseDuration(value, { bareUnit })).toEqual({ ms })
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 86_401, '30'])('%j is none in seconds either', (value) => {
    expect(parseDuration(value, { bareUnit: 's' })).toEqual({ problem: expect.stringMatching(/./) })
  })

  it('is nothing that throws, whatever is given', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const { ms } of [parseDuration(value), parseDuration(value, { bareUnit: 'ms' })]) {
          expect(ms === undefined || (ms > 0 && ms <= 86_400_000)).toBe(true)
        }
      }),
    )
  })

  it('reads in messages as people write it', () => {
    expect([250, 1500, 30_000].map(formatDuration)).toEqual(['250ms', '1.5s', '30s'])
  })
})
