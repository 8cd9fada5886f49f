import { describe, expect, it } from 'vitest'
import type { Durable } from '../src/types.js'
import {
  allowed,
  byNow,
  collect,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  ofType,
  scripted,
  settle,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }
const fail = async (): Promise<never> => {
  throw new Error('the database is gone')
}

/** Remembers nothing, and is broken where it is said to be. */
function engine(broken: Partial<Durable>): Durable {
  return { step: (_, fn) => fn(), now: () => 0, uuid: () => 'run', ...broken }
}

describe('an engine that can not be told of events', () => {
  it.each<[string, NonNullable<Durable['emit']>]>([
    [
      'because it throws',
      () => {
        throw new Error('no disk')
      },
    ],
    ['because it fails later', () => Promise.reject(new Error('no disk'))],
  ])('%s costs the telling only, which is said once', async (_, emit) => {
    const { session, clock } = await setUp({ model: scripted(CALL, END, END), tools: [echoTool()] })
    const run = session.run('go', { durable: engine({ emit }) })
    expect(await run.result).toMatchObject({ reason: 'done', turns: 2 })
    const events = await collect(run)
    expect(ofType(events, 'tool_result')).toHaveLength(1)
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      "The engine of the durable run can't be told of events, and is told no more: no disk",
    ])
    expect((await session.run('again').result).reason).toBe('done')
    expect(clock.pending).toBe(0)
  })
})

describe('an engine that fails', () => {
  it.each<[string, Partial<Durable>]>([
    ['to give an id', { uuid: fail }],
    ['to give the time', { now: fail }],
    ['to take the first step', { step: fail }],
  ])('%s ends the run with its error, and leaves nothing behind', async (_, broken) => {
    const { session, clock } = await setUp({ model: scripted(END), interceptor: hooks() })
    const run = session.run('go', { durable: engine(broken) })
    expect(await run.result).toMatchObject({
      reason: 'error',
      error: { kind: 'internal', message: expect.stringContaining('the database is gone') },
    })
    expect(clock.pending).toBe(0)
    expect((await session.run('again').result).reason).toBe('done')
  })

  it('to remember what the model said ends the model call too', async () => {
    const { session } = await setUp({ model: scripted(END) })
    const events = await collect(session.run('go', { durable: engine({ step: fail }) }))
    expect(ofType(events, 'model_start')).toHaveLength(1)
    expect(ofType(events, 'model_end')).toMatchObject([{ turn: 1, error: 'internal' }])
  })

  it.each([
    ['hooks:PreToolUse:1.0', 0],
    ['gate:1.0', 0],
    ['tool:1.0', 1],
    ['hooks:PostToolUse:1.0', 1],
  ])('to remember %s ends the run, and the call has a result', async (step, ran) => {
    const echo = echoTool()
    const { session } = await setUp({ model: scripted(CALL, END), tools: [echo], interceptor: hooks() })
    const forgetful: Durable['step'] = async (name, fn) => {
      const value = await fn()
      return name === step ? fail() : value
    }
    const run = session.run('go', { durable: engine({ step: forgetful }) })
    expect(await run.result).toMatchObject({
      reason: 'error',
      error: { kind: 'internal', message: expect.stringContaining('the database is gone') },
    })
    expect(echo.ran).toHaveLength(ran)
    expect(ofType(await collect(run), 'tool_result')).toMatchObject([{ is_error: true }])
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })
})

describe('an engine that hangs', () => {
  it.each<[string, Partial<Durable>]>([
    ['with the id', { uuid: never }],
    ['with the time', { now: never }],
    ['with a step', { step: never }],
  ])('%s does not keep a run from being aborted', async (_, broken) => {
    const controller = new AbortController()
    const { session, clock } = await setUp({ model: scripted(END), interceptor: hooks() })
    const { result } = session.run('go', { signal: controller.signal, durable: engine(broken) })
    await settle()
    controller.abort()
    await settle()
    // A step may still be brought to its end for this long.
    clock.advance(150)
    expect(await byNow(result)).toMatchObject({ reason: 'aborted' })
    expect(clock.pending).toBe(0)
  })

  it('when it is told of events holds nobody up', async () => {
    const { session } = await setUp({ model: modelOf([{ type: 'text', text: 'ok' }]) })
    const { result } = session.run('go', { durable: engine({ emit: never }) })
    expect(await byNow(result)).toMatchObject({ reason: 'done' })
  })
})

describe('an answer that no engine can keep', () => {
  const keeping: Durable = engine({ step: async (_, fn) => JSON.parse(JSON.stringify(await fn())) })
  const big = { by: 'h', input: { text: 1n } } as never

  it('of a hook costs that answer, and the call is asked', async () => {
    const interceptor = hooks({ PreToolUse: () => ({ updatedInput: big }) })
    const echo = echoTool()
    const { session } = await setUp({ model: scripted(CALL, END), tools: [echo], interceptor })
    const run = session.run('go', { durable: keeping })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(ofType(await collect(run), 'notice')[0]?.text).toContain('the call has to be asked')
    expect(echo.ran).toEqual([{ text: 'hi' }])
  })

  it('of a gate is a no', async () => {
    const permission = gate(() => ({ ...allowed(), updatedInput: big }))
    const echo = echoTool()
    const { session } = await setUp({ model: scripted(CALL, END), tools: [echo], gate: permission })
    expect(await session.run('go', { durable: keeping }).result).toMatchObject({ reason: 'done' })
    expect(echo.ran).toEqual([])
  })
})
