import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readEvents } from '../../src/connect/http/events.js'

const encode = (text: string) => new TextEncoder().encode(text)

async function read(chunks: readonly Uint8Array[], maxBytes = 1 << 20): Promise<readonly string[]> {
  const found: string[] = []
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  await readEvents(body, maxBytes, {
    event: ({ type, data }) => found.push(`${type}: ${data}`),
    id: (id) => found.push(`id ${id}`),
    retry: (ms) => found.push(`retry ${ms}`),
    tooLong: (start) => found.push(`too long ${start}`),
    tooLongEnded: (end) => found.push(`ended ${end}`),
  })
  return found
}

describe('a stream of events', () => {
  test.each([
    ['data: a\n\n', ['message: a']],
    ['\uFEFFdata: a\r\n\r\n', ['message: a']],
    ['event: endpoint\ndata:/m?s=1\n\n', ['endpoint: /m?s=1']],
    ['data: a\ndata:\ndata:  b\n\n', ['message: a\n\n b']],
    [': a comment\n\nid: 7\nretry: 500\ndata\n\n', ['id 7', 'retry 500', 'message: ']],
    ['id: 7\n\nretry: soon\nid: a\0b\nevent: x\n\ndata: y\n\n', ['id 7', 'message: y']],
    ['data: the end is missing', []],
  ])('%j is %j', async (text, expected) => {
    expect(await read([encode(text)])).toEqual(expected)
  })

  test('comes out the same however it is cut', async () => {
    const text = 'id: 1\ndata: grüße 🧀\r\n\r\nevent: a\ndata: b\ndata: c\n\n'
    const bytes = encode(text)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 20 }), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), bytes.length]
        const found = await read(ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)))
        expect(found).toEqual(['id 1', 'message: grüße 🧀', 'a: b\nc'])
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  test('an event over the limit is left out, and the next one is read', async () => {
    const long = `{"id":7,${'x'.repeat(90)}}`
    expect(await read([encode(`data: ${long}\n\ndata: b\n\n`)], 50)).toEqual([
      `too long ${long}`,
      `ended data: ${long}`,
      'message: b',
    ])
    const lines = 'data: 0123456789\n'.repeat(10)
    expect(await read([encode(`${lines}\ndata: b\n\n`)], 50)).toEqual(['too long 0123456789', 'ended ', 'message: b'])
    // Lines without data are kept too.
    expect(await read([encode(`${'data:\n'.repeat(60)}\ndata: b\n\n`)], 50)).toEqual([
      'too long ',
      'ended ',
      'message: b',
    ])
  })
})
