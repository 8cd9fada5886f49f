import type { Authorization } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { RunEvent, RunResult } from '../src/types.js'
import { ANSWER_MS, journal } from './journal.js'
import {
  type AgentSetup,
  allowed,
  authorization,
  collect,
  denied,
  echoTool,
  gate,
  hooks,
  nonsense,
  ofType,
  runnerHooks,
  type Setup,
  scripted,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }

interface Life extends Setup {
  readonly events: readonly RunEvent[]
  readonly result: RunResult
}

/** A run in a process that is killed right after a step was noted, and all of it in another process. */
async function replayed(step: string, makeAgent: (life: 'first' | 'second') => Promise<Setup>, answers = {}) {
  const { open, order } = journal(answers)
  const first = await makeAgent('first')
  const process = open({ step, moment: 'after' }, first.clock)
  first.session.run('go', { durable: process })
  await process.dead
  const second = await makeAgent('second')
  second.clock.advance(1_000_000)
  return { order, ...(await whole(second, open(undefined, second.clock))) }
}

async function whole(setup: Setup, durable = journal().open(undefined, setup.clock)): Promise<Life> {
  const run = setup.session.run('go', { durable })
  return { ...setup, events: await collect(run), result: await run.result }
}

/** A gate as the contract wants it: without an answer it defers, and then it takes what a person says. */
const asking = () =>
  gate(({ options: { answer, defer } }): Authorization => {
    if (answer) return { ...authorization(answer.behavior, 'somebody said so'), answeredBy: 'user' }
    return { ...authorization('deny', 'it has to be asked'), answeredBy: defer ? 'deferred' : 'nobody' }
  })

describe('a run that is played again', () => {
  it('goes the way of hooks that had failed, though they work now', async () => {
    const echo = echoTool()
    const { events, result } = await replayed('tool:1.0', (life) =>
      setUp({
        model: scripted(CALL, END),
        tools: [echo],
        interceptor: hooks({
          PreToolUse: () => {
            if (life === 'first') throw new Error('crashed')
            return { block: { by: 'guard', reason: 'no' } }
          },
        }),
      }),
    )
    expect(result.reason).toBe('done')
    expect(echo.ran).toHaveLength(1)
    expect(ofType(events, 'tool_result')).toMatchObject([{ executed: true, is_error: false }])
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'PreToolUse: the hooks failed, so the call has to be asked: crashed',
    ])
  })

  it('goes the way of a gate that had failed, though it works now', async () => {
    const echo = echoTool()
    const { events } = await replayed('gate:1.0', (life) =>
      setUp({
        model: scripted(CALL, END),
        tools: [echo],
        gate: gate(() => {
          if (life === 'first') throw new Error('crashed')
          return allowed()
        }),
      }),
    )
    expect(echo.ran).toEqual([])
    expect(ofType(events, 'permission')).toMatchObject([{ behavior: 'deny' }])
  })

  it('has the words and the stop of hooks that were asked for permission', async () => {
    const makeAgent = () =>
      setUp({
        model: scripted(CALL, END),
        tools: [echoTool()],
        gate: gate(async ({ call, tool, options: { contenders = [] } }) => {
          const question = { call, tool, decision: allowed().decision, session: nonsense({}) }
          const answer = await contenders[0]?.answer(question, { signal: new AbortController().signal })
          if (answer?.behavior !== 'deny') return allowed()
          return { ...denied(answer.reason), answeredBy: 'automation' }
        }),
        interceptor: hooks({
          PermissionRequest: () => ({
            runs: [{ hook: 'h', outcome: 'decided', ms: 1 }],
            stop: { by: 'h', reason: 'halt' },
            context: [{ by: 'h', text: 'mind the gap' }],
          }),
        }),
      })
    const expected = await whole(await makeAgent())
    const { events, result, session } = await replayed('gate:1.0', makeAgent)
    expect(expected.result.reason).toBe('stopped')
    expect(JSON.stringify(session.messages)).toContain('mind the gap')
    expect(result).toEqual(expected.result)
    expect(session.messages).toEqual(expected.session.messages)
    expect(ofType(events, 'hook')).toHaveLength(ofType(expected.events, 'hook').length)
  })

  it('fetches nobody to a question that was answered', async () => {
    let fetched = 0
    const { result } = await replayed(
      'tool:1.0',
      () =>
        setUp({
          model: scripted(CALL, END),
          tools: [echoTool()],
          gate: asking(),
          interceptor: hooks({
            Notification: () => {
              fetched++
              return {}
            },
          }),
        }),
      { 'approval:1.0': { behavior: 'allow' } },
    )
    expect(result.reason).toBe('done')
    expect(fetched).toBe(1)
  })

  it('counts what sub-agents of its hooks had used', async () => {
    const usage = { inputTokens: 500, outputTokens: 0 }
    const makeAgent = async () => {
      const { interceptor, join } = runnerHooks((runner, event, session) =>
        event === 'PreToolUse' ? runner.run({ session, prompt: 'judge it', model: 'm' }, {}) : undefined,
      )
      const setup = await setUp({
        model: scripted(CALL, END),
        models: () => scripted({ say: 'ok', usage }),
        tools: [echoTool()],
        interceptor,
      })
      join(setup.agent)
      return setup
    }
    const expected = await whole(await makeAgent())
    const { result } = await replayed('tool:1.0', makeAgent)
    expect(expected.result.usage).toEqual(usage)
    expect(result).toEqual(expected.result)
  })

  it('tells the times that the question, the tool and the model had taken, not its own', async () => {
    const makeAgent = async () => {
      const options: AgentSetup = {
        model: {
          id: 'm',
          async *stream({ messages }) {
            setup.clock.advance(10)
            yield messages.length === 1
              ? { type: 'tool_call', id: 'a', name: 'Echo', input: { text: 'hi' } }
              : { type: 'text', text: 'done' }
          },
        },
        tools: [
          echoTool('Echo', {
            run: async () => {
              setup.clock.advance(200)
              return { content: [], isError: false }
            },
          }),
        ],
        gate: asking(),
      }
      const setup = await setUp(options)
      return setup
    }
    const times = (events: readonly RunEvent[]) => [
      ofType(events, 'permission').map(({ wait_ms }) => wait_ms),
      ofType(events, 'tool_result').map(({ duration_ms }) => duration_ms),
      ofType(events, 'model_end').map(({ duration_ms, ttft_ms }) => [duration_ms, ttft_ms]),
    ]
    const answers = { 'approval:1.0': { behavior: 'allow' } }
    const live = await makeAgent()
    const expected = await whole(live, journal(answers).open(undefined, live.clock))
    const { events } = await replayed('model:2', makeAgent, answers)
    expect(times(expected.events)).toEqual([
      [ANSWER_MS],
      [200],
      [
        [10, 10],
        [10, 10],
      ],
    ])
    expect(times(events)).toEqual(times(expected.events))
  })
})

describe('the topic of a question', () => {
  it('is what the answer is given to, in the run and in its sub-agents', async () => {
    const echo = echoTool()
    const { open, order } = journal({
      'approval:1.0': { behavior: 'allow' },
      'agent:2:0/approval:1.0': { behavior: 'allow' },
    })
    const deciding = asking()
    const setup = await setUp({
      model: scripted(CALL, { calls: [{ tool: 'agent', input: { type: 'worker', prompt: 'work' } }] }, END),
      models: () => scripted(CALL, END),
      agents: [{ name: 'worker', description: 'Works.', prompt: 'Work.', model: 'm' }],
      tools: [echo],
      gate: {
        session: (ref) => ({
          authorize: async (request, options) =>
            request.tool.name === 'Echo' ? deciding.session(ref).authorize(request, options) : allowed(),
        }),
      },
    })
    const { events, result } = await whole(setup, open())
    expect(result.reason).toBe('done')
    expect(ofType(events, 'question').map(({ topic, agent_type }) => [agent_type, topic])).toEqual([
      [undefined, 'approval:1.0'],
      ['worker', 'agent:2:0/approval:1.0'],
    ])
    expect(order.filter((name) => name.startsWith('wait:'))).toEqual([
      'wait:approval:1.0',
      'wait:agent:2:0/approval:1.0',
    ])
    expect(echo.ran).toHaveLength(2)
  })
})
