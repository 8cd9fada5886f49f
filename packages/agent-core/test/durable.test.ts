import type { JsonValue } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { AgentOptions, Durable, Gate, Model, ModelEvent, RunResult } from '../src/types.js'
import { gone, journal, type Kill, type Process } from './journal.js'
import { allowed, authorization, echoTool, gate, hooks, modelOf, ofType, READS, setUp } from './kit.js'

const call = (id: string, name: string, input: JsonValue) => ({ type: 'tool_call', id, name, input }) as const
const say = (text: string) => ({ type: 'text', text }) as const

/** The world outside of the processes: who was asked and what was done, over all of them. */
function world() {
  const effects: { readonly tool: string; readonly key: string }[] = []
  const asked: string[] = []
  const gated: string[] = []
  const heard: string[] = []
  const tool = (name: string, more = {}) =>
    echoTool(name, {
      run: async (input, { idempotencyKey }) => {
        effects.push({ tool: `${name} ${input['text']}`, key: idempotencyKey })
        return { content: [say(`${name} did ${input['text']}`)], isError: false }
      },
      ...more,
    })
  const turnsOf = (name: string, ...turns: readonly (readonly ModelEvent[])[]): Model => ({
    id: name,
    async *stream(request) {
      const index = request.messages.filter(({ role }) => role === 'assistant').length
      asked.push(`${name} ${index + 1}`)
      yield* turns[index] ?? []
    },
  })
  const options: Omit<AgentOptions, 'ports' | 'gate'> & { gate: Gate } = {
    model: turnsOf(
      'main',
      [say('first'), call('a', 'Write', { text: '1' })],
      [call('b', 'Read', { text: '2' }), call('c', 'Read', { text: '3' }), call('d', 'Write', { text: '4' })],
      [call('e', 'agent', { type: 'worker', prompt: 'go' })],
      [say('all done')],
    ),
    models: () => turnsOf('worker', [call('w', 'Write', { text: '5' })], [say('worked')]),
    agents: [{ name: 'worker', description: 'Works.', prompt: 'Work.', model: 'w' }],
    tools: [tool('Write'), tool('Read', { annotations: READS })],
    interceptor: hooks({
      PreToolUse: ({ tool_use_id }) => {
        heard.push(`PreToolUse ${tool_use_id}`)
        return {}
      },
    }),
    gate: gate(({ call: { id } }) => {
      gated.push(id)
      return allowed()
    }),
  }
  return { options, effects, asked, gated, heard }
}

async function play(options: ReturnType<typeof world>['options'], durable: Process) {
  const { session } = await setUp(options)
  const run = session.run('go', { durable })
  const result: RunResult | undefined = await Promise.race([run.result, durable.dead.then(() => undefined)])
  return { result, session, run }
}

/** A process that is killed, and another one that goes on. */
async function killed(kill: Kill) {
  const { open, order } = journal()
  const outside = world()
  const first = await play(outside.options, open(kill))
  const before = outside.effects.length
  const second = await play(outside.options, open())
  return { ...outside, order, first, second, before }
}

async function whole() {
  const { open, order } = journal()
  const outside = world()
  const { result, session } = await play(outside.options, open())
  return { ...outside, order, result, messages: session.messages }
}

describe('a durable run', () => {
  it('does everything once and remembers each step under a name of its own', async () => {
    const { result, asked, effects, order } = await whole()
    expect(result).toMatchObject({ reason: 'done', text: 'all done', turns: 4 })
    expect(asked).toEqual(['main 1', 'main 2', 'main 3', 'worker 1', 'worker 2', 'main 4'])
    expect(effects).toEqual([
      { tool: 'Write 1', key: 'run-1:1:0' },
      { tool: 'Read 2', key: 'run-1:2:0' },
      { tool: 'Read 3', key: 'run-1:2:1' },
      { tool: 'Write 4', key: 'run-1:2:2' },
      { tool: 'Write 5', key: 'run-1:3:0:1:0' },
    ])
    expect(new Set(order).size).toBe(order.length)
    expect(order).toContain('tool:1.0')
    expect(order).toContain('agent:3:0/model:1')
  })

  it('killed at any moment is played again without asking or doing anything twice that was finished', async () => {
    const expected = await whole()
    const moments = (['before', 'effect', 'after'] as const).flatMap((moment) =>
      expected.order.map((_, step) => ({ step, moment })),
    )
    for (const kill of moments) {
      const { second, asked, effects, gated, heard, before, order } = await killed(kill)
      const at = `${kill.moment} step ${kill.step} (${expected.order[kill.step]})`
      expect([at, second.result]).toEqual([at, expected.result])
      expect([at, second.session.messages]).toEqual([at, expected.messages])
      expect([at, [...order].sort()]).toEqual([at, [...expected.order].sort()])
      // Only what was under way is done again: one step, or several where calls that read run side by side.
      const again = (all: readonly string[]) => all.length - new Set(all).size
      const repeated = again(asked) + again(gated) + again(heard) + again(effects.map(({ key }) => key))
      expect([at, repeated <= (kill.moment === 'effect' ? 2 : 1)]).toEqual([at, true])
      if (kill.moment === 'effect' && expected.order[kill.step]?.startsWith('model:')) expect(repeated).toBe(1)
      // The same call has the same key, in whichever process it runs.
      const keys = new Map<string, string>()
      for (const { tool, key } of effects) {
        expect([at, tool, keys.get(tool) ?? key]).toEqual([at, tool, key])
        keys.set(tool, key)
      }
      expect(before).toBeLessThanOrEqual(effects.length)
    }
  })

  it('repeats an unfinished call with the key that it had', async () => {
    const { order } = await whole()
    const { effects } = await killed({ step: order.indexOf('tool:1.0'), moment: 'effect' })
    expect(effects.filter(({ tool }) => tool === 'Write 1')).toEqual([
      { tool: 'Write 1', key: 'run-1:1:0' },
      { tool: 'Write 1', key: 'run-1:1:0' },
    ])
  })

  it('tells a reader of the replay the whole text of an answer that is remembered', async () => {
    const { open } = journal()
    const outside = world()
    await play(outside.options, open())
    const { run } = await play(outside.options, open())
    const events = []
    for await (const event of run) events.push(event)
    expect(ofType(events, 'text').map(({ text }) => text)).toEqual(['first', 'worked', 'all done'])
    expect(ofType(events, 'tool_result')).toHaveLength(6)
    expect(outside.asked).toHaveLength(6)
  })
})

describe('a question in a durable run that can wait', () => {
  const deferred = { ...authorization('deny', 'it has to be asked'), answeredBy: 'deferred' as const }
  /** A gate as the contract wants it: defers when told so, and takes the answer of a person. */
  const asking = () =>
    gate(({ options }) => {
      const { answer, defer } = options
      if (answer) return { ...authorization(answer.behavior, answer.reason ?? 'somebody said so'), answeredBy: 'user' }
      return defer ? deferred : authorization('deny', 'nobody can be asked here')
    })
  const setup = (permission: Gate) => {
    const outside = world()
    const model = {
      id: 'm',
      async *stream({ messages }: { messages: readonly unknown[] }) {
        yield messages.length === 1 ? call('a', 'Write', { text: '1' }) : say('ok')
      },
    }
    return { ...outside, options: { ...outside.options, model, gate: permission } }
  }

  it('waits outside of every step, and survives the process', async () => {
    const permission = asking()
    const { options, effects } = setup(permission)
    const { open, order } = journal({ 'approval:1.0': { behavior: 'allow', reason: 'fine' } })
    const { session } = await setUp(options)
    const complete = session.run('go', { durable: open() })
    expect((await complete.result).reason).toBe('done')
    expect(order.slice(0, 2)).toEqual(['uuid', 'now:0'])
    expect(order.filter((name) => /gate|wait/.test(name))).toEqual(['gate:1.0', 'wait:approval:1.0', 'gate:1.0:answer'])
    expect(effects).toHaveLength(1)

    const again = setup(permission)
    const other = journal({ 'approval:1.0': { behavior: 'allow' } })
    const step = order.indexOf('wait:approval:1.0')
    expect((await play(again.options, other.open({ step, moment: 'before' }))).result).toBeUndefined()
    const asked = permission.log.length
    expect((await play(again.options, other.open())).result).toMatchObject({ reason: 'done' })
    // The decision is remembered; only the answer has to be judged.
    expect(permission.log.length - asked).toBe(1)
    expect(again.effects).toHaveLength(1)
  })

  it('is a no when nobody answers, and when the answer is none', async () => {
    for (const [answers, reason] of [
      [{}, 'nobody answered'],
      [{ 'approval:1.0': 'yes!' }, 'The answer could not be read.'],
      [{ 'approval:1.0': { behavior: 'maybe' } }, 'The answer could not be read.'],
      [{ 'approval:1.0': { behavior: 'deny', reason: 'not on Mondays' } }, 'not on Mondays'],
    ] as const) {
      const { options, effects } = setup(asking())
      const { session } = await play(options, journal(answers as Record<string, JsonValue>).open())
      expect(effects).toEqual([])
      expect(JSON.stringify(session.messages[2])).toContain(reason)
    }
  })

  it('is told to the user and to the hooks', async () => {
    const { options } = setup(asking())
    const interceptor = hooks()
    const { session } = await setUp({ ...options, interceptor })
    const run = session.run('go', { durable: journal({ 'approval:1.0': { behavior: 'allow' } }).open() })
    const events = []
    for await (const event of run) events.push(event)
    expect(ofType(events, 'question')).toMatchObject([{ tool_use_id: 'a', reason: 'it has to be asked' }])
    expect(ofType(events, 'permission')).toMatchObject([{ behavior: 'allow', answeredBy: 'user' }])
    expect(interceptor.log.filter(({ event }) => event === 'Notification')).toMatchObject([
      { payload: { notification_type: 'permission_prompt', message: 'it has to be asked', title: 'Write' } },
    ])
  })
})

describe('an engine that gives up', () => {
  it('ends the run with its error instead of hanging or throwing', async () => {
    const { options } = world()
    const { session } = await setUp(options)
    const durable: Durable = {
      step: async () => {
        throw new Error('the database is gone')
      },
      now: () => 0,
      uuid: () => 'run',
    }
    const result = await session.run('go', { durable }).result
    expect(result).toMatchObject({ reason: 'error', error: { kind: 'internal' } })
    expect(result.error?.message).toContain('the database is gone')
  })

  it('can end the run by its own signal', async () => {
    const { options } = world()
    const { session } = await setUp({ ...options, model: modelOf([gone]) })
    const controller = new AbortController()
    const durable: Durable = { step: (_, fn) => fn(), now: () => 0, uuid: () => 'run', signal: controller.signal }
    const run = session.run('go', { durable })
    controller.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
  })
})
