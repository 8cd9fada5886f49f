import type { ContentBlock } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { createAgent, ModelError, type ModelErrorKind } from '../src/index.js'
import type { AgentLimits, Model, ModelEvent } from '../src/types.js'
import {
  collect,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  ofType,
  play,
  READS,
  resultTexts,
  scripted,
  settle,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }
const call = (id: string, text = 'hi') => ({ type: 'tool_call', id, name: 'Echo', input: { text } }) as const
const say = (text: string): ModelEvent => ({ type: 'text', text })

/** What StopFailure and AfterAgent told. */
function endings(interceptor: ReturnType<typeof hooks>) {
  return interceptor.log.flatMap(({ event, payload }) =>
    event === 'StopFailure' || event === 'AfterAgent' || event === 'Stop' ? [[event, payload]] : [],
  )
}

describe('limits', () => {
  it.each<[string, unknown]>([
    ['maxTurns', 0],
    ['maxTurns', 1.5],
    ['maxCostUsd', -1],
    ['maxRunMs', Number.NaN],
    ['modelRetries', -1],
    ['maxTokens', '100'],
    ['maxTruns', 3],
  ])('that are none are refused when the agent is made: %s %s', async (name, value) => {
    const making = setUp({ model: scripted(END), limits: { [name]: value } as AgentLimits })
    await expect(making).rejects.toMatchObject({ code: 'agent-core.limit', message: expect.stringContaining(name) })
  })

  it.each<[string, AgentLimits, object]>([
    ['turns', { maxTurns: 2 }, { reason: 'max_turns', error: { kind: 'max_turns' }, turns: 2 }],
    ['tokens', { maxTokens: 250 }, { reason: 'budget', error: { kind: 'budget' }, turns: 3 }],
    ['cost', { maxCostUsd: 0.2 }, { reason: 'budget', error: { kind: 'budget' }, turns: 2, costUsd: 0.2 }],
  ])('of %s end the run before the next model call, with StopFailure and no Stop', async (_, limits, expected) => {
    const interceptor = hooks()
    const usage = { type: 'usage', inputTokens: 90, outputTokens: 10, costUsd: 0.1 } as const
    const turns = Array.from({ length: 9 }, (_, turn) => [usage, call(`c${turn}`, `${turn}`)])
    const { result } = await play({ model: modelOf(...turns), tools: [echoTool()], interceptor, limits })
    expect(result).toMatchObject(expected)
    expect(endings(interceptor)).toEqual([
      ['StopFailure', { error: result.error?.kind, error_details: result.error?.message }],
      ['AfterAgent', expect.objectContaining({ iterations: result.turns })],
    ])
  })

  it('of time ends the run wherever it is', async () => {
    const interceptor = hooks()
    const tool = echoTool('Echo', { run: never })
    const { session, clock } = await setUp({
      model: scripted(CALL, END),
      tools: [tool],
      interceptor,
      limits: { maxRunMs: 1000 },
    })
    const run = session.run('go')
    await settle()
    clock.advance(1000)
    expect(await run.result).toMatchObject({ reason: 'budget', error: { kind: 'budget' } })
    expect(resultTexts(session)).toEqual(['The run was aborted while Echo ran.'])
    expect(endings(interceptor).map(([event]) => event)).toEqual(['StopFailure', 'AfterAgent'])
    expect(clock.pending).toBe(0)
  })
})

describe('a model', () => {
  it.each<[ModelErrorKind, number]>([
    ['overloaded', 4],
    ['rate_limit', 4],
    ['network', 4],
    ['authentication', 1],
    ['context_length', 1],
    ['invalid_request', 1],
    ['unknown', 1],
  ])('that fails with %s is asked %d times, then StopFailure tells why', async (kind, times) => {
    const interceptor = hooks()
    let asked = 0
    const model: Model = {
      id: 'm',
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      async *stream() {
        asked++
        throw new ModelError(kind, 'sorry')
      },
    }
    const { session, clock } = await setUp({ model, interceptor })
    const run = session.run('go')
    for (const wait of [1000, 2000, 4000]) {
      await settle()
      clock.advance(wait)
    }
    expect(await run.result).toMatchObject({ reason: 'error', error: { kind, message: 'The model failed: sorry' } })
    expect(asked).toBe(times)
    expect(endings(interceptor).map(([event]) => event)).toEqual(['StopFailure', 'AfterAgent'])
    expect(interceptor.log.filter(({ event }) => event === 'Notification')).toMatchObject([
      { payload: { notification_type: 'stream_error', message: 'The model failed: sorry' } },
    ])
    expect(clock.pending).toBe(0)
  })

  it('is left alone as long as it asks for, but not for more than a minute', async () => {
    let tries = 0
    const fail = (retryAfterMs: number) => async () => {
      if (tries++ < 2) throw new ModelError('rate_limit', 'slow down', { retryAfterMs })
    }
    const { session, clock } = await setUp({ model: modelOf([fail(7000)], [fail(3_600_000)], [say('ok')]) })
    const run = session.run('go')
    await settle()
    clock.advance(6999)
    await settle()
    expect(tries).toBe(1)
    clock.advance(1)
    await settle()
    clock.advance(60_000)
    expect(await run.result).toMatchObject({ reason: 'done', text: 'ok' })
  })

  it('that reports tokens before it fails may still be asked again, one that said something not', async () => {
    let tries = 0
    const fail = async () => {
      if (tries++ === 0) throw new ModelError('overloaded', 'busy')
    }
    const usage = { type: 'usage', inputTokens: 5, outputTokens: 0 } as const
    const again = await setUp({ model: modelOf([usage, fail], [say('ok')]) })
    const run = again.session.run('go')
    await settle()
    again.clock.advance(1000)
    expect(await run.result).toMatchObject({ reason: 'done', text: 'ok' })
    tries = 0
    const { result } = await play({ model: modelOf([say('I'), fail], [say('ok')]) })
    expect(result).toMatchObject({ reason: 'error', text: 'I', error: { kind: 'overloaded' } })
  })

  it('that falls silent is given up after the limit, told to stop, and asked again', async () => {
    const signals: AbortSignal[] = []
    const model: Model = {
      id: 'm',
      async *stream(_, { signal }) {
        signals.push(signal)
        if (signals.length === 1) await never()
        yield say('ok')
      },
    }
    const { session, clock } = await setUp({ model, limits: { modelSilenceMs: 5000 } })
    const run = session.run('go')
    await settle()
    clock.advance(5000)
    await settle()
    expect(signals[0]?.aborted).toBe(true)
    clock.advance(1000)
    expect(await run.result).toMatchObject({ reason: 'done', text: 'ok' })
    expect(signals[1]?.aborted).toBe(false)
    expect(clock.pending).toBe(0)
  })

  it('that falls silent in the middle ends the run, and what it said is kept', async () => {
    const { session, clock } = await setUp({ model: modelOf([say('one '), never]), limits: { modelSilenceMs: 5000 } })
    const run = session.run('go')
    await settle()
    clock.advance(5000)
    expect(await run.result).toMatchObject({ reason: 'error', text: 'one ', error: { kind: 'no_answer' } })
    expect(clock.pending).toBe(0)
  })

  it('that says nothing ends the run, which is said', async () => {
    const interceptor = hooks()
    const { result, events } = await play({ model: modelOf([]), interceptor })
    expect(result).toMatchObject({ reason: 'done', text: '' })
    expect(ofType(events, 'notice')).toMatchObject([{ text: 'The model ended its turn without a word.' }])
    expect(endings(interceptor).map(([event]) => event)).toEqual(['Stop', 'AfterAgent'])
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['text without text', { type: 'text' }],
    ['a usage without numbers', { type: 'usage', inputTokens: 'many' }],
    ['a call without an id', { type: 'tool_call', name: 'Echo' }],
  ])('that sends %s as an event has failed', async (_, event) => {
    const { result } = await play({ model: modelOf([event as ModelEvent]) })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'unknown' } })
  })

  it('may send events that this version does not know', async () => {
    const { result } = await play({ model: modelOf([{ type: 'hum', text: 'hm' } as never, say('ok')]) })
    expect(result).toMatchObject({ reason: 'done', text: 'ok' })
  })

  it('that makes the same call for ever is stopped, one that changes it is not', async () => {
    const interceptor = hooks()
    const { result } = await play({ model: scripted({ ...CALL, loop: true }), tools: [echoTool()], interceptor })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'repetition' }, turns: 20 })
    expect(endings(interceptor).map(([event]) => event)).toEqual(['StopFailure', 'AfterAgent'])
    const turns = Array.from({ length: 40 }, (_, turn) => [call('c', `${turn % 2}`)])
    expect((await play({ model: modelOf(...turns), tools: [echoTool()] })).result.turns).toBe(41)
  })

  it('that makes the same call many times in one turn has it run as often as the limit says', async () => {
    const read = echoTool('Echo', { annotations: READS })
    const same = Array.from({ length: 100 }, (_, index) => call(`c${index}`))
    const { result, events } = await play({
      model: modelOf(same, [say('ok')]),
      tools: [read],
      limits: { sameCallsInARow: 5 },
    })
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'repetition' } })
    expect(read.ran).toHaveLength(5)
    const rejected = ofType(events, 'tool_rejected').map(({ reason }) => reason)
    expect(rejected).toEqual(Array(95).fill('Not run: it is the same call more than 5 times.'))
  })

  it('that gives its calls no ids has ids made up that are unique in the conversation', async () => {
    const { session } = await setUp({ model: modelOf([call('')], [], [call('')], []), tools: [echoTool()] })
    await session.run('one').result
    await session.run('two').result
    const ids = session.messages.flatMap((each) => (each.role === 'assistant' ? each.calls.map(({ id }) => id) : []))
    expect(ids).toEqual(['call_1_1', 'call_5_1'])
  })

  it('may make 50 calls in one turn; those beyond the limit are rejected with the reason', async () => {
    const fifty = Array.from({ length: 50 }, (_, index) => call(`c${index}`, `${index}`))
    const echo = echoTool()
    const { session } = await play({ model: modelOf(fifty, [say('ok')]), tools: [echo] })
    expect(resultTexts(session)).toEqual(fifty.map(({ input }) => `echo: ${input.text}`))
    const few = await play({ model: modelOf(fifty, [say('ok')]), tools: [echoTool()], limits: { maxCallsPerTurn: 48 } })
    expect(ofType(few.events, 'tool_rejected').map(({ reason }) => reason)).toEqual([
      'Not run: it is call 49 of one turn, and 48 are the limit.',
      'Not run: it is call 50 of one turn, and 48 are the limit.',
    ])
    expect(few.result.reason).toBe('done')
  })

  it('that gives two calls of a turn one id, or none, has each answered under an id of its own', async () => {
    const { session, events } = await play({
      model: modelOf([call('x', 'a'), call('x', 'b'), call('', 'c'), call('x~2', 'd')], [say('ok')]),
      tools: [echoTool()],
    })
    const [, assistant, tool] = session.messages
    const ids = assistant?.role === 'assistant' ? assistant.calls.map(({ id }) => id) : []
    expect(ids).toEqual(['x', 'x~2', 'call_1_3', 'x~2~2'])
    expect(tool?.role === 'tool' && tool.results.map(({ callId }) => callId)).toEqual(ids)
    expect(ofType(events, 'tool_result').map(({ tool_use_id }) => tool_use_id)).toEqual(ids)
    expect(resultTexts(session)).toEqual(['echo: a', 'echo: b', 'echo: c', 'echo: d'])
  })
})

describe('ports that never answer', () => {
  it('cost what they had to say, after the limit', async () => {
    for (const [name, options] of [
      ['hooks', { interceptor: hooks({ PostToolUse: never }), limits: { hooksTimeoutMs: 1000 } }],
      ['gate', { gate: gate(never), limits: { gateTimeoutMs: 1000 } }],
    ] as const) {
      const { session, clock } = await setUp({ model: scripted(CALL, END), tools: [echoTool()], ...options })
      const run = session.run('go')
      await settle()
      clock.advance(1000)
      expect([name, await run.result]).toMatchObject([name, { reason: 'done' }])
      const expected = name === 'hooks' ? 'echo: hi' : 'Echo was not permitted: the permission check failed.'
      expect(resultTexts(session)[0]).toContain(expected)
      const notices = ofType(await collect(run), 'notice')
      expect(notices[0]?.text).toContain('Over the limit of 1000 ms')
      expect(clock.pending).toBe(0)
    }
  })

  it('leave a call that hooks should have judged to be asked', async () => {
    const permission = gate()
    const { session, clock } = await setUp({
      model: scripted(CALL, END),
      tools: [echoTool()],
      gate: permission,
      interceptor: hooks({ PreToolUse: never }),
      limits: { hooksTimeoutMs: 1000 },
    })
    const run = session.run('go')
    await settle()
    clock.advance(1000)
    await run.result
    expect(permission.log).toMatchObject([{ opinion: { behavior: 'ask', by: 'hooks' } }])
  })

  it('that answer with something else count as failed', async () => {
    for (const answer of ['yes', 7, { runs: 'none' }, { context: null, notices: {} }]) {
      const { result, events } = await play({
        model: scripted(CALL, END),
        tools: [echoTool()],
        interceptor: { session: () => ({ fire: (event) => (event === 'PreToolUse' ? (answer as never) : undefined) }) },
      })
      expect(result.reason).toBe('done')
      expect(ofType(events, 'notice')[0]?.text).toContain('the call has to be asked')
    }
  })
})

describe('what is too much for a model', () => {
  const image = (bytes: number): ContentBlock => ({ type: 'image', data: 'A'.repeat(bytes), mimeType: 'image/png' })
  const results = async (content: readonly ContentBlock[], limits: Model['limits'], more: AgentLimits = {}) => {
    const tool = echoTool('Echo', { run: async () => ({ content, isError: false }) })
    const model = { ...scripted(CALL, END), ...(limits ? { limits } : {}) }
    const { session } = await play({ model, tools: [tool], limits: more })
    const message = session.messages[2]
    return message?.role === 'tool' ? message.results[0]?.content : undefined
  }

  it('is left out with a line in its place: images and sound for a model that takes none', async () => {
    const sound: ContentBlock = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
    expect(await results([image(4), sound], undefined)).toEqual([
      say('[left out: an image (image/png, 4 bytes in base64); this model takes none]'),
      say('[left out: a sound (audio/wav, 4 bytes in base64); this model takes none]'),
    ])
    expect(await results([image(4), sound], { images: true, audio: true })).toEqual([image(4), sound])
  })

  it('is left out: one that is too large, and binary data', async () => {
    expect(await results([image(101)], { images: true }, { maxMediaBytes: 100 })).toEqual([
      say('[left out: an image (image/png, 101 bytes in base64); 100 are the limit]'),
    ])
    const resource: ContentBlock = { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AAAA' } }
    expect(await results([resource], undefined)).toEqual([
      say('[left out: file:///a.bin, binary data of 4 bytes in base64]'),
    ])
  })

  it('is cut: 50 MB of text', async () => {
    const content = await results([say('x'.repeat(50_000_000)) as ContentBlock], undefined)
    expect(content?.map((block) => (block.type === 'text' ? block.text.length : 0))).toEqual([
      256 * 1024,
      expect.any(Number),
    ])
    expect(content?.at(-1)).toEqual(say('[cut: the result has 50000000 bytes of text, 262144 are the limit]'))
  })
})

it('two sub-agents of one name are a mistake of the host', async () => {
  const agent = (name: string) => ({ name, description: 'x', prompt: 'x' })
  const { clock } = await setUp({ model: scripted(END) })
  const making = createAgent({ model: scripted(END), agents: [agent('Worker'), agent('worker')], ports: { clock } })
  await expect(making).rejects.toMatchObject({ code: 'agent-core.agents' })
})
