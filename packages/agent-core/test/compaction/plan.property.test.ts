import type { Message } from '@ext/kernel/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messagesTokens } from '../../src/compaction/estimate.js'
import { planCompaction } from '../../src/compaction/plan.js'
import { fairLength, shorten } from '../../src/compaction/shorten.js'
import { messagesProblem } from '../../src/messages.js'

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.nat({ max: 3000 }).map((length) => 'wörd '.repeat(length)),
  fc.nat({ max: 3000 }).map((length) => '😀'.repeat(length)),
)
const user = text.map((each): Message => ({ role: 'user', content: [{ type: 'text', text: each }] }))
const turn = fc
  .tuple(text, fc.array(fc.tuple(text, text), { maxLength: 4 }))
  .map(([said, calls]): readonly Message[] => {
    const named = calls.map(([input], index) => ({
      id: `c${index}`,
      name: 'Write',
      input: { text: input, nested: [input] },
    }))
    const answer: Message = { role: 'assistant', text: said, calls: named }
    if (calls.length === 0) return [answer]
    const results = calls.map(([, output], index) => ({
      callId: `c${index}`,
      name: 'Write',
      isError: index % 2 === 1,
      content: [{ type: 'text' as const, text: output }],
    }))
    return [answer, { role: 'tool', results }]
  })
const conversation = fc
  .array(
    fc.oneof(
      user.map((each) => [each]),
      turn,
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((parts): readonly Message[] => parts.flat())
const options = fc.record({ keepTurns: fc.nat({ max: 5 }), keepTokens: fc.integer({ min: 50, max: 20_000 }) })

const closed: Message = { role: 'user', content: [] }

describe('a compaction of any conversation', () => {
  it('never parts a call from its result, and loses nothing between what is summarized and what stays', () => {
    fc.assert(
      fc.property(conversation, options, (messages, given) => {
        const plan = planCompaction(messages, given)
        if (!plan) return
        const { summarized, kept, isCut } = plan
        expect(summarized.length + kept.length).toBe(messages.length)
        expect(summarized).toEqual(messages.slice(0, summarized.length))
        expect(messagesProblem([closed, ...kept, closed])).toBeUndefined()
        if (summarized.length > 0) expect(messagesProblem([...summarized, closed])).toBeUndefined()
        if (!isCut) expect(kept).toEqual(messages.slice(summarized.length))
        // The newest message always stays, and there are no more turns than wanted but for that one.
        expect(kept.length).toBeGreaterThan(0)
        const turns = kept.filter(({ role }) => role === 'assistant').length
        expect(turns).toBeLessThanOrEqual(Math.max(1, given.keepTurns))
      }),
      { numRuns: 500, seed: 3 },
    )
  })

  it('keeps what fits, and cuts what does not, with its ids and its shape as they were', () => {
    fc.assert(
      fc.property(conversation, options, (messages, given) => {
        const plan = planCompaction(messages, given)
        if (!plan) return
        const whole = messages.slice(plan.summarized.length)
        expect(plan.isCut).toBe(messagesTokens(plan.kept) < messagesTokens(whole))
        for (const [index, message] of plan.kept.entries()) {
          const before = whole[index]
          expect(message.role).toBe(before?.role)
          if (message.role === 'assistant' && before?.role === 'assistant') {
            expect(message.calls.map(({ id, name, input }) => [id, name, Object.keys(input)])).toEqual(
              before.calls.map(({ id, name, input }) => [id, name, Object.keys(input)]),
            )
          }
        }
      }),
      { numRuns: 300, seed: 5 },
    )
  })
})

describe('a text that is cut', () => {
  it('has its beginning, its end and how much is missing, and no half characters', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 5000 }), (whole, most) => {
        const short = shorten(whole, most)
        expect(short.length).toBeLessThanOrEqual(Math.max(whole.length, most))
        expect(short).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/)
        if (short === whole) return
        const [, head = '', missing, tail = ''] =
          /^(.*)\n\[cut: (\d+) of \d+ characters are left out here\]\n(.*)$/s.exec(short) ?? []
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
        expect(head.length + Number(missing) + tail.length).toBe(whole.length)
      }),
      { numRuns: 300, seed: 9 },
    )
  })

  it('is the longest of several: short ones stay whole', () => {
    expect(fairLength([10, 20, 30], 60)).toBe(Number.POSITIVE_INFINITY)
    expect(fairLength([10, 1000, 5000], 1310)).toBe(650)
    expect(fairLength([300, 300, 300], 3)).toBe(200)
    expect(fairLength([], 0)).toBe(Number.POSITIVE_INFINITY)
  })
})
