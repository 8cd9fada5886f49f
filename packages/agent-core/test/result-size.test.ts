import type { ContentBlock } from '@ext/kernel/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentLimits } from '../src/types.js'
import { echoTool, hooks, play, scripted } from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }
const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
const text = (value: string): ContentBlock => ({ type: 'text', text: value })

/** What the model gets of a result. */
async function shown(content: readonly ContentBlock[], limits: AgentLimits): Promise<readonly ContentBlock[]> {
  const tool = echoTool('Echo', { run: async () => ({ content, isError: false }) })
  const model = { ...scripted(CALL, END), limits: { images: true } }
  const { session } = await play({ model, tools: [tool], limits })
  const message = session.messages[2]
  return message?.role === 'tool' ? (message.results[0]?.content ?? []) : []
}

/** All that a model reads of a block. */
function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource') return `${block.resource.uri}${block.resource.text ?? ''}`
  return block.type === 'resource_link' ? `${block.uri}${block.name}${block.description ?? ''}` : ''
}

const bytesOf = (blocks: readonly ContentBlock[]) => new TextEncoder().encode(blocks.map(textOf).join('')).length
const isNote = (block: ContentBlock | undefined) => block !== undefined && textOf(block).startsWith('[cut: ')
const hasHalfCharacter = (value: string) => /\p{Surrogate}/u.test(value)

describe('the text of a result', () => {
  const words = fc.string({ unit: 'binary', maxLength: 30 })
  const block: fc.Arbitrary<ContentBlock> = fc.oneof(
    words.map(text),
    fc.constant(image),
    fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: words, text: words }) }),
    fc.record({ type: fc.constant('resource_link'), uri: words, name: words, description: words }),
  )

  it('is never longer than the limit and the note, never ends in half a character, and is whole if it fits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 8 }), fc.integer({ min: 1, max: 200 }), async (content, most) => {
        const kept = await shown(content, { maxResultBytes: most })
        const fits = bytesOf(content) <= most
        if (fits) expect(kept).toEqual(content)
        else expect(isNote(kept.at(-1))).toBe(true)
        const own = fits ? kept : kept.slice(0, -1)
        expect(bytesOf(own)).toBeLessThanOrEqual(most)
        expect(own.map(textOf).some(hasHalfCharacter)).toBe(false)
        // What is kept is a start of what there was, and images have a limit of their own.
        expect(content.map(textOf).join('').startsWith(own.map(textOf).join(''))).toBe(true)
        expect(own.filter(({ type }) => type === 'image')).toEqual(content.filter(({ type }) => type === 'image'))
      }),
      { numRuns: 300 },
    )
  }, 30_000)

  it('that fits exactly costs no image behind it', async () => {
    expect(await shown([text('12345'), image], { maxResultBytes: 5 })).toEqual([text('12345'), image])
    expect(await shown([text('123456'), image], { maxResultBytes: 5 })).toEqual([
      text('12345'),
      image,
      text('[cut: the result has 6 bytes of text, 5 are the limit]'),
    ])
  })

  it('of a link counts too', async () => {
    const link: ContentBlock = { type: 'resource_link', uri: 'u', name: 'n', description: 'x'.repeat(1_000_000) }
    expect(await shown([link], { maxResultBytes: 1000 })).toEqual([
      text('[cut: the result has 1000002 bytes of text, 1000 are the limit]'),
    ])
  })

  it('in 300,000 small blocks is cut at a thousand of them, in no time', async () => {
    const content = Array.from({ length: 300_000 }, () => text('x'))
    const started = performance.now()
    const kept = await shown(content, {})
    expect(performance.now() - started).toBeLessThan(5000)
    expect(kept).toHaveLength(1001)
    expect(kept.at(-1)).toEqual(
      text('[cut: the result has 300000 bytes of text in 300000 blocks, 262144 bytes and 1000 blocks are the limits]'),
    )
  })

  it('that hooks give has the same limit, and so has what they tell besides', async () => {
    const long = 'ä'.repeat(1000)
    const interceptor = hooks({
      PostToolUse: () => ({ updatedOutput: { by: 'h', output: long }, context: [{ by: 'h', text: long }] }),
    })
    const { session } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      interceptor,
      limits: { maxResultBytes: 99 },
    })
    const message = session.messages[2]
    const kept = message?.role === 'tool' ? (message.results[0]?.content ?? []) : []
    expect(kept.map(isNote)).toEqual([false, true, false, true])
    expect(kept.filter((each) => !isNote(each)).map((each) => bytesOf([each]))).toEqual([98, 99])
  })
})
