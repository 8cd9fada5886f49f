import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServerLog } from '../../src/connect/log.js'

async function logged(chunks: readonly Uint8Array[], mask: (text: string) => string = (text) => text) {
  const lines: string[] = []
  const log = new ServerLog(mask, (line) => lines.push(line))
  for (const chunk of chunks) log.push(chunk)
  log.end()
  await Promise.resolve()
  return { lines, tail: log.tail }
}

const encode = (text: string) => new TextEncoder().encode(text)
const bytewise = (text: string) => Array.from(encode(text), (byte) => Uint8Array.of(byte))

test('lines come whole, without control characters, and the last one without its newline', async () => {
  const { lines, tail } = await logged(bytewise('\u001b[31mrot\u001b[0m grün\nzwei\r\n\ndrei\u0007'))
  expect(lines).toEqual(['rot grün', 'zwei', '', 'drei'])
  expect(tail).toBe('rot grün\nzwei\n\ndrei\n')
})

test('secrets are masked in lines and at the end, however the bytes are cut', async () => {
  const mask = (text: string) => text.replaceAll('s3cret', '***').replaceAll('two\nlines', '***')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 39 }), { maxLength: 10 }), async (cuts) => {
      const bytes = encode('key s3cret!\nagain s3cret\ntwo\nlines\nlast s3cret')
      const ends = [...cuts.sort((a, b) => a - b), bytes.length]
      const { lines, tail } = await logged(
        ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)),
        mask,
      )
      expect(lines.join()).not.toContain('s3cret')
      expect(tail).toBe('key ***!\nagain ***\n***\nlast ***\n')
    }),
    { seed: 1, numRuns: 50 },
  )
})

test('of a long log the end is kept, and of a long line the beginning, up to a whole word', async () => {
  const numbers = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join('')
  expect((await logged([encode(numbers)])).tail).toMatch(/^[\s\S]{4086}line 4999\n$/)

  const words = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ')
  const { lines } = await logged([encode(`${words}\nnext`)])
  expect(lines[0]).toMatch(/ word\d+ …$/)
  expect(lines[0]?.length).toBeLessThanOrEqual(8194)
  expect(lines[1]).toBe('next')
  expect((await logged([encode('x'.repeat(20_000))])).lines).toEqual(['…'])
})
