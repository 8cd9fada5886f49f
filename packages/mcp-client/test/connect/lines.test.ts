import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from '../../src/connect/lines.js'

function split(chunks: readonly Uint8Array[], maxBytes = 1000) {
  const lines: string[] = []
  let tooLong = 0
  const splitter = new LineSplitter(
    maxBytes,
    (line) => lines.push(line),
    () => tooLong++,
  )
  for (const chunk of chunks) splitter.push(chunk)
  return { lines, tooLong }
}

test('lines come out the same however the bytes are cut, also in the middle of a character', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\n\ufeff]/g, ''))
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
      const bytes = new TextEncoder().encode(lines.map((each) => `${each}\n`).join(''))
      const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b)
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      expect(split(chunks).lines).toEqual(lines)
    }),
  )
})

test('a line over the limit is dropped and counted, and the next one is read', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const chunks = [bytes('1234'), bytes('56\nok\n12345\n'), bytes('123456\nend\n')]
  expect(split(chunks, 5)).toEqual({ lines: ['ok', '12345', 'end'], tooLong: 2 })
})
