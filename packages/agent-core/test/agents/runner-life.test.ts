import { getEventListeners } from 'node:events'
import type { AgentOrder, AgentOutcome, SessionRef } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Durable, Interceptor, Model } from '../../src/types.js'
import {
  type AgentSetup,
  allowed,
  byNow,
  collect,
  echoTool,
  gate,
  never,
  nonsense,
  ofType,
  READS,
  runnerHooks,
  scripted,
  settle,
  setUp,
} from '../kit.js'

const CALL = { calls: [{ tool: 'Look', input: { text: 'in' } }] }
const END = { say: 'done' }
const order = (session: SessionRef): AgentOrder => ({ session, prompt: 'judge it', model: 'm' })

/** Never says anything, and listens to no signal. */
const silent: Model = { id: 'silent', stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) }

/** A session whose hook on Stop works with the runner. */
async function asking(
  onStop: Parameters<typeof runnerHooks>[0],
  options: Partial<AgentSetup> = {},
  wrap: (interceptor: Interceptor) => Interceptor = (interceptor) => interceptor,
) {
  const { interceptor, join } = runnerHooks((runner, event, ref) =>
    event === 'Stop' && ref.origin === 'main' ? onStop(runner, event, ref) : undefined,
  )
  const setup = await setUp({
    model: scripted(END),
    models: () => silent,
    interceptor: wrap(interceptor),
    ...options,
  })
  join(setup.agent)
  return setup
}

describe('a sub-agent of a hook', () => {
  it('that nobody waits for ends with its run, and nothing of it comes afterwards', async () => {
    let outcome: Promise<AgentOutcome> | undefined
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const late: Model = {
      id: 'late',
      async *stream() {
        await released
        yield { type: 'tool_call', id: 'a', name: 'Look', input: { text: 'late' } }
      },
    }
    const look = echoTool('Look', { annotations: READS })
    const { session, agent, clock } = await asking(
      async (runner, _, ref) => {
        outcome = runner.run(order(ref), {})
      },
      { models: () => late, tools: [look] },
    )
    const told: string[] = []
    const emit: Durable['emit'] = ({ type }) => void told.push(type)
    const durable: Durable = { step: (_, fn) => fn(), now: () => 0, uuid: () => 'run', emit }
    expect((await session.run('go', { durable }).result).reason).toBe('done')
    expect(told.slice(-2)).toEqual(['agent_end', 'result'])
    await agent.close()
    release()
    await settle()
    expect(told.at(-1)).toBe('result')
    expect(look.ran).toEqual([])
    expect(await outcome).toMatchObject({ done: false, problem: 'The sub-agent helper did not finish (aborted).' })
    expect(clock.pending).toBe(0)
  })

  it('ends with an aborted run', async () => {
    const controller = new AbortController()
    const { session, clock } = await asking((runner, _, ref) => runner.run(order(ref), {}))
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await byNow(run.result)).toMatchObject({ reason: 'aborted' })
    expect(ofType(await collect(run), 'agent_end')).toMatchObject([{ reason: 'aborted' }])
    expect(clock.pending).toBe(0)
  })

  it('that is aborted by whoever asked for it is over soon, though its own hooks never answer', async () => {
    const controller = new AbortController()
    let ended: unknown
    const { session, clock } = await asking(
      (runner, _, ref) =>
        runner.run(order(ref), { signal: controller.signal }).catch((reason) => {
          ended = reason
        }),
      {},
      (interceptor) => ({
        session: (ref) => {
          const own = interceptor.session(ref)
          return {
            fire: (event, payload, options) =>
              event === 'AfterAgent' && ref.agent ? never() : own.fire(event, payload, options),
          }
        },
      }),
    )
    const run = session.run('go')
    await settle()
    controller.abort('too slow')
    await settle()
    expect(ended).toBeUndefined()
    clock.advance(100)
    await settle()
    expect(ended).toBe('too slow')
    expect(await byNow(run.result)).toMatchObject({ reason: 'done' })
    expect(clock.pending).toBe(0)
  })

  it.each(['its end', 'an abort', 'a model that can not be found out'])(
    'leaves no timer and no listener after %s',
    async (how) => {
      const controller = new AbortController()
      const { signal } = controller
      const models = () => {
        if (how === 'its end') return scripted(END)
        if (how === 'an abort') return silent
        throw new Error('no list of models')
      }
      const outer = new AbortController()
      const counts: number[] = []
      const { session, clock } = await asking(
        (runner, _, ref) =>
          runner.run(order(ref), { signal }).then(
            () => counts.push(getEventListeners(signal, 'abort').length),
            () => counts.push(getEventListeners(signal, 'abort').length),
          ),
        { models },
      )
      const run = session.run('go', { signal: outer.signal })
      await settle()
      if (how === 'an abort') controller.abort()
      expect(await byNow(run.result)).toMatchObject({ reason: 'done' })
      expect(counts).toEqual([0])
      expect(getEventListeners(outer.signal, 'abort')).toEqual([])
      outer.abort()
      expect(clock.pending).toBe(0)
    },
  )
})

describe('the depth of sub-agents of hooks', () => {
  const deep = async (limits: AgentSetup['limits']) => {
    const outcomes: AgentOutcome[] = []
    const { interceptor, join } = runnerHooks(async (runner, event, session) => {
      if (event === 'PreToolUse' && outcomes.length < 30) outcomes.push(await runner.run(order(session), {}))
    })
    const look = echoTool('Look', { annotations: READS })
    const setup = await setUp({
      model: scripted(CALL, END),
      models: () => scripted(CALL, END),
      tools: [look],
      interceptor,
      ...(limits ? { limits } : {}),
    })
    join(setup.agent)
    expect(await setup.session.run('go').result).toMatchObject({ reason: 'done' })
    return { outcomes, ran: look.ran.length }
  }

  it('is one: a hook that hears of their calls starts no others', async () => {
    expect(await deep(undefined)).toEqual({
      outcomes: [
        { done: false, text: '', problem: 'A sub-agent of a hook or a skill starts no others.' },
        { done: true, text: 'done' },
      ],
      ran: 2,
    })
  })

  it('is none where the limit is', async () => {
    expect(await deep({ maxAgentDepth: 0 })).toEqual({
      outcomes: [{ done: false, text: '', problem: 'The limit maxAgentDepth allows no sub-agents.' }],
      ran: 1,
    })
  })
})

describe('the runner', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no session', { prompt: 'x' }],
    ['a session that is none', { session: 'main', prompt: 'x' }],
  ])('says what is wrong when it is given %s', async (_, given) => {
    const { agent } = await setUp({ model: scripted(END) })
    expect(await agent.runner.run(nonsense(given), {})).toMatchObject({ done: false, problem: expect.any(String) })
  })

  it('knows an order whose limit of turns is none', async () => {
    const outcomes: AgentOutcome[] = []
    const { session } = await asking(async (runner, _, ref) => {
      outcomes.push(await runner.run({ ...order(ref), maxTurns: Number.NaN }, {}))
    })
    await session.run('go').result
    expect(outcomes).toEqual([
      { done: false, text: '', problem: '`maxTurns` must be a whole number from 1 up; it is NaN.' },
    ])
  })

  it('runs a sub-agent in the mode of the session that asks, whatever else has its id', async () => {
    const modes: string[] = []
    const { agent } = await asking((runner, _, ref) => runner.run(order(ref), {}), {
      models: () => scripted(END),
      gate: {
        session: (ref) => {
          if (ref.origin === 'hook') modes.push(ref.permissionMode)
          return gate(() => allowed()).session(ref)
        },
      },
    })
    const strict = agent.session({ id: 'same', cwd: '/', permissionMode: 'plan' })
    const loose = agent.session({ id: 'same', cwd: '/', permissionMode: 'bypassPermissions' })
    const run = strict.run('go')
    expect(() => loose.run('go')).toThrow(expect.objectContaining({ code: 'agent-core.session.busy' }))
    await run.result
    expect(modes).toEqual(['plan'])
    expect((await loose.run('go').result).reason).toBe('done')
    expect(modes).toEqual(['plan', 'bypassPermissions'])
  })
})
