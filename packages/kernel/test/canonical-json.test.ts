import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from '../src/index.js'

it('writes the same value the same way, whatever the order of its keys', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, part]) => [key, shuffled(part)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(shuffled(value))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text).not.toContain('\n')
    }),
  )
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: undefined })).toBe('{"b":[{"c":2,"d":1}]}')
  expect(canonicalJson(undefined)).toBe('null')
})
