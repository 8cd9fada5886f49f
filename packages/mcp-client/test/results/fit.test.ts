import type { ContentBlock, ToolResult } from '@ext/kernel/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fit } from '../../src/results/fit.js'
import { sizeOf, splitAt } from '../../src/results/sizes.js'
import type { SpilledItem, SpillPort } from '../../src/types.js'

const KIB = 1024

function spill() {
  const items: SpilledItem[] = []
  const port: SpillPort = {
    async keep(item) {
      items.push(item)
      return { uri: `file:///spill/${items.length}`, path: `/spill/${items.length}` }
    },
  }
  return { items, port }
}

function fitted(
  content: readonly ContentBlock[],
  more: Partial<ToolResult> = {},
  port?: SpillPort,
  maxBytes = 64 * KIB,
) {
  const options = { server: 's', tool: 't', maxBytes, ...(port ? { spill: port } : {}) }
  return fit({ content, isError: false, ...more }, options)
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const textOf = ({ content }: ToolResult) =>
  content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')

test('a result within the limit is handed on as it is, without waiting', () => {
  const result: ToolResult = { content: [text('ü'.repeat(32 * KIB))], isError: false, structured: { a: 1 } }
  expect(fit(result, { server: 's', tool: 't', maxBytes: 64 * KIB })).toBe(result)
})

test('of a text that is too large the model sees both ends and where the whole is, and the whole is kept', async () => {
  const { items, port } = spill()
  const whole = `BEGIN${'x'.repeat(30 * KIB * KIB)}END`
  const result = await fitted([text(whole)], {}, port)
  expect(items).toEqual([{ server: 's', tool: 't', mimeType: 'text/plain', data: whole }])
  const said = textOf(result)
  expect(said).toMatch(/^BEGINx/)
  expect(said).toContain('END\nresource_link')
  expect(said).toContain(
    '[cut: this text has 31457288 bytes, of which the first 16384 and the last 4096 are shown; all of it is in /spill/1]',
  )
  expect(said.length).toBeLessThan(21 * KIB)
  expect(result.content.at(-1)).toEqual({
    type: 'resource_link',
    uri: 'file:///spill/1',
    name: 'result of t',
    mimeType: 'text/plain',
  })
})

test('an image that is too large becomes a file of its bytes', async () => {
  const { items, port } = spill()
  const bytes = new Uint8Array(100 * KIB).fill(7)
  const data = Buffer.from(bytes).toString('base64')
  const result = await fitted([text('see'), { type: 'image', data, mimeType: 'image/png' }], {}, port)
  expect(items[0]?.data).toEqual(bytes)
  expect(textOf(result)).toContain('[cut: This image (image/png) has 102400 bytes; all of it is in /spill/1]')
  expect(textOf(result)).toContain('see')
})

test('without a place for it the rest is lost, and the result says so', async () => {
  expect(textOf(await fitted([text('x'.repeat(99 * KIB))]))).toContain(
    'the rest is lost, since nothing keeps large results here',
  )
})

test('a place that can not be written costs the rest, not the call', async () => {
  const port: SpillPort = { keep: () => Promise.reject(new Error('no space left on device')) }
  expect(textOf(await fitted([text('x'.repeat(99 * KIB))], {}, port))).toContain(
    'the rest is lost, since it could not be kept: no space left on device',
  )
})

test('an error that is too large stays an error', async () => {
  expect(await fitted([text('x'.repeat(99 * KIB))], { isError: true, meta: { kind: 'remote' } })).toMatchObject({
    isError: true,
    meta: { kind: 'remote' },
  })
})

test('a structured result that is too large is kept as JSON, or not twice if it is the text as well', async () => {
  const structured = { rows: Array.from({ length: 20_000 }, (_, index) => index) }
  const first = spill()
  const result = await fitted([text('summary')], { structured }, first.port)
  expect(result.structured).toBeUndefined()
  expect(first.items).toMatchObject([{ mimeType: 'application/json', data: JSON.stringify(structured) }])
  const second = spill()
  await fitted([text(JSON.stringify(structured))], { structured }, second.port)
  expect(second.items.map(({ mimeType }) => mimeType)).toEqual(['text/plain'])
})

test('a hundred thousand small parts end in one file', async () => {
  const { items, port } = spill()
  const result = await fitted(
    Array.from({ length: 100_000 }, (_, index) => text(`part ${index}`)),
    {},
    port,
  )
  expect(items).toHaveLength(1)
  expect(result.content.length).toBeLessThan(1010)
  expect(textOf(result)).toContain('99000 more parts of the result are left out; all of it is in /spill/1')
})

test('nothing is lost: every part is in the result as it was or in a file, and what is shown stays small', async () => {
  const block = fc.oneof(
    fc.nat({ max: 200 * KIB }).map((length) => text('é'.repeat(length))),
    fc.nat({ max: 90 * KIB }).map((length): ContentBlock => {
      return { type: 'image', mimeType: 'image/png', data: Buffer.alloc(length, 1).toString('base64') }
    }),
    fc.constant<ContentBlock>({ type: 'resource', resource: { uri: 'a:b', text: 'z'.repeat(70 * KIB) } }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 20 }), async (content) => {
      const { items, port } = spill()
      const result = await fitted(content, {}, port)
      const kept = new Set(result.content)
      const files = items.map(({ data }) => (typeof data === 'string' ? data : Buffer.from(data).toString('base64')))
      for (const part of content) {
        if (kept.has(part)) continue
        const whole = part.type === 'text' ? part.text : part.type === 'image' ? part.data : 'z'.repeat(70 * KIB)
        expect(files.some((file) => file === whole || file.includes(JSON.stringify(part)))).toBe(true)
      }
      expect(sizeOf(JSON.stringify(result.content))).toBeLessThan(64 * KIB + 8 * 22 * KIB + 4 * KIB)
    }),
    { numRuns: 40, seed: 8 },
  )
})

test('both ends of a text are whole characters within their bytes, and never overlap', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.nat({ max: 40 }),
      fc.nat({ max: 40 }),
      (value, head, tail) => {
        const parts = splitAt(value, head, tail)
        expect(value.startsWith(parts.head)).toBe(true)
        expect(value.endsWith(parts.tail)).toBe(true)
        expect(parts.head.length + parts.tail.length).toBeLessThanOrEqual(value.length)
        expect(sizeOf(parts.head)).toBeLessThanOrEqual(head)
        expect(sizeOf(parts.tail)).toBeLessThanOrEqual(tail)
        expect(parts.tail).not.toMatch(/^[\udc00-\udfff]/)
      },
    ),
    { seed: 8 },
  )
})
