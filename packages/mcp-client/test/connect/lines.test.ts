import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from '../../src/connect/lines.js'

function split(bytes: Uint8Array, cuts: readonly number[], maxBytes = 1 << 20) {
  const found: string[] = []
  const splitter = new LineSplitter(maxBytes, {
    line: (text) => found.push(text),
    tooLong: (start) => found.push(`too long: ${start}`),
    tooLongEnded: (end) => found.push(`ended: ${end}`),
  })
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let start = 0
  for (const end of [...ends, bytes.length]) {
    splitter.push(bytes.subarray(start, end))
    start = end
  }
  return found
}

const encode = (text: string) => new TextEncoder().encode(text)

test('lines come out the same however the bytes are cut, also in the middle of a character', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''))
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
      const bytes = encode(lines.map((each) => `${each}\n`).join(''))
      expect(split(bytes, cuts)).toEqual(lines.map((each) => new TextDecoder().decode(encode(each))))
    }),
    { seed: 1 },
  )
})

test('of a line over the limit both ends are kept, however it is cut, and the next one is read', () => {
  const long = `head${'x'.repeat(5000)}tail`
  const bytes = encode(`a\n${long}\nb\n`)
  const expected = ['a', `too long: ${long.slice(0, 1024)}`, `ended: ${long.slice(-1024)}`, 'b']
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
      expect(split(bytes, cuts, 3000)).toEqual(expected)
    }),
    { seed: 1 },
  )
  expect(
    split(
      bytes,
      Array.from(bytes, (_, index) => index),
      3000,
    ),
  ).toEqual(expected)
})

test('a line that never ends is told once', () => {
  expect(split(encode('x'.repeat(50)), [20, 30, 40], 10)).toEqual([`too long: ${'x'.repeat(20)}`])
})
