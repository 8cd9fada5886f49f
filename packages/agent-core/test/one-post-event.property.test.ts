import type { EventResult, ToolResult } from '@ext/kernel/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ScriptTurn, scriptedModel } from '../src/scripted/index.js'
import { allowed, collect, denied, echoTool, gate, hooks, READS, setUp } from './kit.js'

const by = 'hook'
const preAnswers: readonly (Partial<EventResult> | 'throw')[] = [
  {},
  { block: { by, reason: 'no' } },
  { stop: { by, reason: 'stop' } },
  { updatedInput: { by, input: { text: 'new' } } },
  { updatedInput: { by, input: { text: 1 } } },
  { opinion: { by, behavior: 'ask' }, context: [{ by, text: 'context' }] },
  'throw',
]
const postAnswers: readonly (Partial<EventResult> | 'throw')[] = [
  {},
  { block: { by, reason: 'mind this' } },
  { stop: { by, reason: 'stop' } },
  'throw',
]
const toolAnswers: readonly (ToolResult | 'throw' | 'hang' | 'abort')[] = [
  { content: [], isError: false },
  { content: [], isError: true },
  'throw',
  'hang',
  'abort',
]
const gateAnswers = ['allow', 'deny', 'throw', 'abort'] as const

const call = fc.record({
  tool: fc.constantFrom('Echo', 'Read', 'Nope'),
  input: fc.constantFrom<{ text: string } | { txt: string }>({ text: 'hi' }, { text: 'hi' }, { txt: 'hi' }),
})
const turn: fc.Arbitrary<ScriptTurn> = fc.record({ calls: fc.array(call, { maxLength: 5 }) })

/** Gives one answer after the other, then starts again. */
function cycle<T>(answers: readonly T[]): () => T {
  let next = 0
  return () => answers[next++ % answers.length] as T
}

it('every call that reached PreToolUse has exactly one Post event, and every call ends exactly once', async () => {
  const some = <T>(from: readonly T[]) => fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 4 }),
      some(preAnswers),
      some(gateAnswers),
      some(toolAnswers),
      some(postAnswers),
      async (turns, pre, permission, tool, post) => {
        const controller = new AbortController()
        const [nextPre, nextGate, nextTool, nextPost] = [cycle(pre), cycle(permission), cycle(tool), cycle(post)]
        const answer = (next: () => Partial<EventResult> | 'throw') => () => {
          const value = next()
          if (value === 'throw') throw new Error('hook')
          return value
        }
        const interceptor = hooks({
          PreToolUse: answer(nextPre),
          PostToolUse: answer(nextPost),
          PostToolUseFailure: answer(nextPost),
        })
        const run = async (): Promise<ToolResult> => {
          const value = nextTool()
          if (value === 'throw') throw new Error('tool')
          if (value === 'abort') controller.abort()
          if (value === 'abort' || value === 'hang') return new Promise(() => setTimeout(() => clock.advance(500), 0))
          return value
        }
        const { session, clock } = await setUp({
          model: scriptedModel({ turns }),
          interceptor,
          gate: gate(() => {
            const value = nextGate()
            if (value === 'throw') throw new Error('gate')
            if (value === 'abort') controller.abort()
            return value === 'allow' || value === 'abort' ? allowed() : denied()
          }),
          tools: [echoTool('Echo', { run }), echoTool('Read', { annotations: READS, run })],
          limits: { toolTimeoutMs: 500 },
        })
        const events = await collect(session.run('go', { signal: controller.signal }))

        const ids = (name: string) =>
          interceptor.log.flatMap(({ event, payload }) =>
            event.startsWith(name) && 'tool_use_id' in payload ? [payload.tool_use_id] : [],
          )
        expect(ids('PostToolUse').sort()).toEqual(ids('PreToolUse').sort())
        expect(new Set(ids('PreToolUse')).size).toBe(ids('PreToolUse').length)

        const started = events.flatMap((event) => (event.type === 'tool_call' ? [event.tool_use_id] : []))
        const ended = events.flatMap((event) =>
          event.type === 'tool_result' || event.type === 'tool_rejected' ? [event.tool_use_id] : [],
        )
        expect(ended.sort()).toEqual(started.sort())

        const asked = session.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
        const answered = session.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
        expect(answered.map(({ callId }) => callId)).toEqual(asked.map(({ id }) => id))
        expect(events.at(-1)?.type).toBe('result')
        expect(clock.pending).toBe(0)
      },
    ),
    { numRuns: 200 },
  )
}, 60_000)
