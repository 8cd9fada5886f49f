import { describe, expect, it } from 'vitest'
import { ModelError } from '../src/index.js'
import type { AgentSetup } from './kit.js'
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
  resultTexts,
  scripted,
  settle,
  setUp,
} from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const call = { type: 'tool_call', id: 'c1', name: 'Echo', input: { text: 'hi' } } as const

interface Step {
  readonly name: string
  readonly options: AgentSetup
  readonly results: readonly string[]
  readonly post?: { readonly executed: boolean }
}

const steps: readonly Step[] = [
  {
    name: 'SessionStart',
    options: { model: scripted(CALL), interceptor: hooks({ SessionStart: never }) },
    results: [],
  },
  {
    name: 'UserPromptSubmit',
    options: { model: scripted(CALL), interceptor: hooks({ UserPromptSubmit: never }) },
    results: [],
  },
  {
    name: 'the model',
    options: { model: modelOf([{ type: 'text', text: 'I' }, call, never]) },
    results: ['Not run: the run was aborted.'],
  },
  {
    name: 'PreToolUse',
    options: { model: scripted(CALL), interceptor: hooks({ PreToolUse: never }) },
    results: ['The run was aborted before Echo ran.'],
    post: { executed: false },
  },
  {
    name: 'the gate',
    options: { model: scripted(CALL), interceptor: hooks(), gate: gate(never) },
    results: ['The run was aborted before Echo ran.'],
    post: { executed: false },
  },
  {
    name: 'the tool',
    options: { model: scripted(CALL), interceptor: hooks(), tools: [echoTool('Echo', { run: never })] },
    results: ['The run was aborted while Echo ran.'],
    post: { executed: true },
  },
  { name: 'Stop', options: { model: scripted({ say: 'ok' }), interceptor: hooks({ Stop: never }) }, results: [] },
  {
    name: 'the wait for another try of the model',
    options: {
      model: modelOf([
        async () => {
          throw new ModelError('overloaded', 'overloaded')
        },
      ]),
      limits: { modelRetries: 5 },
    },
    results: [],
  },
]

describe('abort', () => {
  it.each(steps)('during $name ends the run at once, although nobody there listens to the signal', async (step) => {
    const controller = new AbortController()
    const { session, clock } = await setUp({ tools: [echoTool()], ...step.options })
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(resultTexts(session)).toEqual(step.results)
    const log = (step.options.interceptor as ReturnType<typeof hooks> | undefined)?.log ?? []
    const failures = log.flatMap(({ event, payload }) => (event === 'PostToolUseFailure' ? [payload] : []))
    expect(failures).toMatchObject(step.post ? [{ cause: 'aborted', ...step.post }] : [])
    expect(clock.pending).toBe(0)
  })

  it('before the start asks nobody anything', async () => {
    const interceptor = hooks()
    const model = scripted(CALL)
    const { session } = await setUp({ model, interceptor })
    const events = await collect(session.run('go', { signal: AbortSignal.abort() }))
    expect(events).toMatchObject([{ type: 'result', reason: 'aborted', turns: 0 }])
    expect([interceptor.log, model.requests, session.messages]).toEqual([[], [], []])
  })

  it('reaches hooks, gate, tool and model through their signals', async () => {
    for (const place of ['hook', 'gate', 'tool', 'model']) {
      const controller = new AbortController()
      const seen: unknown[] = []
      const listen = (signal: AbortSignal | undefined) => {
        signal?.addEventListener('abort', () => seen.push(signal.reason))
        return never()
      }
      const { session } = await setUp({
        model:
          place === 'model'
            ? {
                id: 'm',
                stream: (_, { signal }) => stream(() => listen(signal)),
              }
            : scripted(CALL),
        tools: [echoTool('Echo', place === 'tool' ? { run: (_, { signal }) => listen(signal) } : {})],
        gate: gate((_, signal) => (place === 'gate' ? listen(signal) : allowed())),
        interceptor: hooks(place === 'hook' ? { PreToolUse: (_, signal) => listen(signal) } : {}),
      })
      const run = session.run('go', { signal: controller.signal })
      await settle()
      controller.abort('because')
      await run.result
      expect([place, seen]).toEqual([place, ['because']])
    }
  })

  it('never starts a tool once it has come, at whatever moment that is', async () => {
    const started: boolean[] = []
    let controller = new AbortController()
    let ticks = 0
    const { agent } = await setUp({
      model: scripted(CALL, { say: 'done' }),
      gate: gate(() => {
        void abortAfter(controller, ticks)
        return allowed()
      }),
      tools: [
        echoTool('Echo', {
          run: async (_, { signal }) => {
            started.push(signal.aborted)
            return { content: [], isError: false }
          },
        }),
      ],
    })
    for (; ticks < 40; ticks++) {
      controller = new AbortController()
      await agent.session({ cwd: '/a' }).run('go', { signal: controller.signal }).result
    }
    expect(started.length).toBeGreaterThan(0)
    expect(started.length).toBeLessThan(40)
    expect(started).not.toContain(true)
  })

  it('gives the hooks after a call a short time to finish, and no more', async () => {
    const controller = new AbortController()
    const { session, clock } = await setUp({
      model: scripted({ calls: [...CALL.calls, ...CALL.calls] }),
      tools: [echoTool()],
      interceptor: hooks({ PostToolUse: never }),
    })
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    await settle()
    clock.advance(149)
    await settle()
    expect(await Promise.race([run.result, 'open'])).toBe('open')
    clock.advance(1)
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    const events = await collect(run)
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'The time of the aborted run was over before the hooks after Echo were done.' },
      { text: 'The time of the aborted run was over before the hooks at its end were done.' },
    ])
    expect(resultTexts(session)).toEqual(['echo: hi', 'Not run: the run was aborted.'])
    expect(clock.pending).toBe(0)
  })

  it('of what its hooks hear of a turn keeps the results of the turn', async () => {
    const controller = new AbortController()
    const interceptor = hooks({ PostToolBatch: never })
    const { session } = await setUp({ model: scripted(CALL), tools: [echoTool()], interceptor })
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await byNow(run.result)).toMatchObject({ reason: 'aborted' })
    expect(resultTexts(session)).toEqual(['echo: hi'])
  })

  it('of what its hooks hear of an answer keeps the answer', async () => {
    const controller = new AbortController()
    const interceptor = hooks({ AfterModel: never })
    const { session } = await setUp({ model: scripted({ say: 'hello', ...CALL }), tools: [echoTool()], interceptor })
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await byNow(run.result)).toMatchObject({ reason: 'aborted', text: 'hello', turns: 1 })
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(resultTexts(session)).toEqual(['Not run: the run was aborted.'])
  })

  it('leaves a conversation that the next run can go on with', async () => {
    const controller = new AbortController()
    const model = modelOf([{ type: 'text', text: 'one ' }, call, never], [{ type: 'text', text: 'two' }])
    const { session } = await setUp({ model, tools: [echoTool()] })
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', text: 'one ' })
    expect(await session.run('on').result).toMatchObject({ reason: 'done', text: 'two' })
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})

describe('a tool that runs too long', () => {
  it('is ended at the limit, whether or not it listens, and the run goes on', async () => {
    let reason: unknown
    const interceptor = hooks()
    const { session, clock } = await setUp({
      model: scripted(CALL, { say: 'done' }),
      interceptor,
      limits: { toolTimeoutMs: 5000 },
      tools: [
        echoTool('Echo', {
          run: (_, { signal }) => {
            signal.addEventListener('abort', () => {
              reason = signal.reason
            })
            return never()
          },
        }),
      ],
    })
    const run = session.run('go')
    await settle()
    clock.advance(5000)
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(resultTexts(session)).toEqual(['Echo was ended: it ran longer than 5000 ms.'])
    expect(reason).toMatchObject({ name: 'TimeoutError' })
    expect(interceptor.log.find(({ event }) => event === 'PostToolUseFailure')?.payload).toMatchObject({
      cause: 'timeout',
      executed: true,
      duration_ms: 5000,
    })
    expect(clock.pending).toBe(0)
  })
})

async function* stream(wait: () => Promise<never>): AsyncGenerator<never> {
  yield await wait()
}

async function abortAfter(controller: AbortController, ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
  controller.abort()
}
