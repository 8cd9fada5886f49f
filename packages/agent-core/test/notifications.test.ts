import { describe, expect, it } from 'vitest'
import {
  type AgentSetup,
  allowed,
  byNow,
  collect,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  nonsense,
  ofType,
  scripted,
  settle,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }

/** A person is asked about each call of Echo, and has answered before anybody can be fetched. */
const asking: NonNullable<AgentSetup['gate']> = gate(({ options, call, tool }) => {
  const question = { call, tool, decision: allowed().decision, session: nonsense({}) }
  if (tool.name === 'Echo') options.onQuestion?.(question)
  return allowed()
})
const options = (interceptor: ReturnType<typeof hooks>, more: Partial<AgentSetup> = {}): AgentSetup => ({
  model: scripted(CALL, END),
  tools: [echoTool()],
  gate: asking,
  interceptor,
  ...more,
})

describe('hooks of Notification', () => {
  it('hold nobody up: the call goes on, and what they say comes when they are done', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const interceptor = hooks({
      Notification: async () => {
        await released
        return { runs: [{ hook: 'bell', outcome: 'decided', ms: 1 }] }
      },
      Stop: () => {
        release()
        return {}
      },
    })
    const { session } = await setUp(options(interceptor))
    const events = await collect(session.run('go'))
    const types = events.map(({ type }) => type)
    expect(types.indexOf('hook')).toBeGreaterThan(types.indexOf('tool_result'))
    expect(types.at(-1)).toBe('result')
    expect(ofType(events, 'notice')).toEqual([])
  })

  it('are waited for at the end of the run for a second, then they are ended, which is said', async () => {
    const ended: unknown[] = []
    const interceptor = hooks({
      Notification: (_, signal) => {
        signal?.addEventListener('abort', () => ended.push(signal.reason))
        return never()
      },
    })
    const { session, clock } = await setUp(options(interceptor))
    const run = session.run('go')
    await settle()
    clock.advance(999)
    expect(await byNow(run.result)).toBe('open')
    clock.advance(1)
    expect(await byNow(run.result)).toMatchObject({ reason: 'done' })
    expect(ended).toEqual(['the run is over'])
    const events = await collect(run)
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'Notification: the hooks were ended: the run is over',
    ])
    expect(events.at(-1)?.type).toBe('result')
    expect(clock.pending).toBe(0)
  })

  it('of a sub-agent are waited for at its end, and say nothing after it', async () => {
    const interceptor = hooks({ Notification: never })
    const start = { calls: [{ tool: 'agent', input: { type: 'worker', prompt: 'work' } }] }
    const { session, clock } = await setUp(
      options(interceptor, {
        model: scripted(start, END),
        models: () => scripted(CALL, END),
        agents: [{ name: 'worker', description: 'Works.', prompt: 'Work.', model: 'm' }],
      }),
    )
    const run = session.run('go')
    await settle()
    clock.advance(1000)
    expect(await byNow(run.result)).toMatchObject({ reason: 'done' })
    const own = (await collect(run)).filter(({ agent_id }) => agent_id !== undefined)
    expect(own.slice(-2).map(({ type }) => type)).toEqual(['notice', 'agent_end'])
  })

  it('are ended after five seconds of a run that goes on', async () => {
    const controller = new AbortController()
    const call = { type: 'tool_call', id: 'a', name: 'Echo', input: { text: 'hi' } } as const
    const { session, clock } = await setUp(options(hooks({ Notification: never }), { model: modelOf([call], [never]) }))
    const run = session.run('go', { signal: controller.signal })
    await settle()
    clock.advance(5000)
    await settle()
    controller.abort()
    expect(ofType(await collect(run), 'notice').map(({ text }) => text)).toEqual([
      'Notification: the hooks were ended: they took longer than 5000 ms',
    ])
    expect(clock.pending).toBe(0)
  })

  it('that never answer end with an aborted run, and many of them are no leak', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error) => void warnings.push(name)
    process.on('warning', note)
    const turns = Array.from({ length: 15 }, (_, turn) => ({ calls: [{ tool: 'Echo', input: { text: `${turn}` } }] }))
    const controller = new AbortController()
    const { session, clock } = await setUp(
      options(hooks({ Notification: never, Stop: never }), { model: scripted(...turns, END) }),
    )
    const run = session.run('go', { signal: controller.signal })
    for (let round = 0; round < 10; round++) await settle()
    controller.abort()
    expect(await byNow(run.result)).toMatchObject({ reason: 'aborted', turns: 16 })
    // Warnings come in a turn of their own.
    await new Promise((resolve) => setTimeout(resolve, 1))
    process.off('warning', note)
    expect(warnings).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
