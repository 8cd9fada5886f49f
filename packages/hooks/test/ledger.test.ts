import type { EventResult, LifecycleEvent } from '@ext/kernel/contract'
import { nodePorts } from '@ext/kernel/node'
import { describe, expect, test } from 'vitest'
import { createHooks, defineHook, summarizeLedger } from '../src/index.js'
import type { HookSpanAttributes, HooksOptions, LedgerRecord } from '../src/types.js'
import { extSource, fire, load, rule, samples, scene, session, texts } from './support.js'

function ledger() {
  const records: LedgerRecord[] = []
  return { records, port: { write: (record: LedgerRecord) => void records.push(record) } }
}

describe('the ledger', () => {
  test('has one record for each run: what ran, why, what came of it and what it changed', async () => {
    const { records, port } = ledger()
    const at = await scene(
      [extSource(rule('PreToolUse', 'echo "Not now." >&2; exit 2', { name: 'guard', if: 'Bash(git push *)' }))],
      { ledger: port },
    )
    await fire(at, 'PreToolUse')
    expect(records).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        session: 'session-1',
        event: 'PreToolUse',
        id: expect.stringContaining('#/hooks/0'),
        hook: 'guard',
        place: '<test>',
        why: 'every PreToolUse, if Bash(git push *)',
        outcome: 'decided',
        exitCode: 2,
        ms: expect.any(Number),
        effects: ['block'],
        toolUseId: 'call-1',
      },
    ])
  })

  test('holds no inputs, outputs or reasons', async () => {
    const { records, port } = ledger()
    const at = await scene([extSource(rule('PreToolUse', 'echo CANARY; echo CANARY >&2; exit 2'))], { ledger: port })
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'echo CANARY' } })
    expect(result.block?.reason).toContain('CANARY')
    expect(JSON.stringify(records.map(({ id: _, ...others }) => others))).not.toContain('CANARY')
  })

  test('that can not be written is said once and costs nothing', async () => {
    let calls = 0
    const write = () => {
      calls++
      throw new Error('no space left')
    }
    const at = await scene([extSource(rule('Stop', 'echo hello'))], { ledger: { write } })
    for (let turn = 0; turn < 3; turn++) expect(texts((await fire(at, 'Stop')).notices)).toEqual(['hello'])
    expect(calls).toBe(1)
    expect(at.hooks.diagnostics).toMatchObject([
      { code: 'hooks.ledger.failed', message: 'The ledger of hooks failed and is off: no space left.' },
    ])
  })

  test('has hooks that nobody waits for when they end', async () => {
    const { records, port } = ledger()
    const at = await scene([extSource(rule('PostToolUse', 'exit 3', { async: true }))], { ledger: port })
    expect((await fire(at, 'PostToolUse')).runs).toMatchObject([{ outcome: 'noDecision', cause: 'async' }])
    await expect.poll(() => records).toMatchObject([{ outcome: 'failed', cause: 'exit 3', exitCode: 3 }])
  })

  test('has runs that ended with their event as what they are', async () => {
    const { records, port } = ledger()
    const at = await scene([extSource(rule('Stop', 'sleep 30'))], { ledger: port })
    const ending = new AbortController()
    const result = at.session.fire('Stop', () => samples.Stop, { signal: ending.signal })
    ending.abort(new Error('enough'))
    await expect(result).rejects.toThrow('enough')
    await expect.poll(() => records).toMatchObject([{ outcome: 'skipped', cause: 'aborted' }])
    expect(at.hooks.stats().hooks).toMatchObject([{ fired: 1, matched: 0 }])
  })
})

test('over a run of 1,000 events the ledger, the trace and the counts say the same', async () => {
  const { records, port } = ledger()
  let calls = 0
  const functions = [
    defineHook('PreToolUse', () => undefined, { name: 'quiet', matcher: 'Read' }),
    defineHook('PreToolUse', (_payload, { reply }) => reply.deny('no'), { name: 'deny', if: 'Bash(git push *)' }),
    defineHook('PreToolUse', ({ tool_input }, { reply }) => reply.rewrite({ ...tool_input, seen: true }), {
      name: 'rewrite',
      matcher: 'Edit',
    }),
    defineHook('PostToolUse', async () => undefined, { name: 'later' }),
    defineHook(
      'PostToolUse',
      () => {
        if (++calls % 3 > 0) throw new Error('flaky')
      },
      { name: 'flaky' },
    ),
    defineHook(
      'Stop',
      () => {
        throw new Error('broken')
      },
      { name: 'broken' },
    ),
    defineHook('UserPromptSubmit', () => undefined, { name: 'first', once: true }),
    defineHook('SessionEnd', () => undefined, { name: 'never' }),
  ]
  const hooks = await load([], { functions, ledger: port })
  const one = hooks.session(session('/project'))
  const results: (readonly [LifecycleEvent, EventResult])[] = []
  const tools = ['Bash', 'Read', 'Edit', 'Write']
  for (let turn = 0; turn < 1000; turn++) {
    const tool = { tool_name: tools[turn % 4] ?? '', tool_use_id: `call-${turn}`, tool_input: { command: 'git push' } }
    const event = (['PreToolUse', 'PostToolUse', 'Stop', 'UserPromptSubmit'] as const)[(turn >> 2) % 4] ?? 'Stop'
    const result = await one.fire(event, () => ({ ...samples[event], ...('tool_name' in samples[event] ? tool : {}) }))
    if (result) results.push([event, result])
  }
  const traced = results.flatMap(([event, { runs }]) =>
    runs.map(({ hook, outcome, cause = '', ms }) => `${event} ${hook} ${outcome} ${cause} ${Math.round(ms)}`),
  )
  const written = records.map(
    ({ event, hook, outcome, cause = '', ms }) => `${event} ${hook} ${outcome} ${cause} ${Math.round(ms)}`,
  )
  expect(traced.length).toBeGreaterThan(500)
  expect(written.toSorted()).toEqual(traced.toSorted())

  const { hooks: stats, neverFired, alwaysFailing } = hooks.stats()
  expect(stats.reduce((sum, { matched }) => sum + matched, 0)).toBe(records.length)
  expect([neverFired, alwaysFailing]).toEqual([['never'], ['broken']])
  const { hooks: fromLedger, ...named } = summarizeLedger(records, hooks.list())
  expect(named).toEqual({ neverFired, alwaysFailing })
  expect(fromLedger).toEqual(stats.map(({ fired: _, ...others }) => others))
})

describe('statistics', () => {
  test('count what was fired, matched, blocked and failed, with exit codes and times', async () => {
    const guard = rule('PreToolUse', 'read line; case "$line" in *push*) exit 2;; *pull*) exit 4;; esac', {
      name: 'guard',
      matcher: 'Bash',
    })
    const at = await scene([extSource(guard)])
    for (const command of ['git push', 'git pull', 'ls', 'ls']) {
      await fire(at, 'PreToolUse', { tool_input: { command } })
    }
    expect(at.session.fire('PreToolUse', () => ({ ...samples.PreToolUse, tool_name: 'Read' }))).toBeUndefined()
    expect(at.hooks.stats()).toEqual({
      hooks: [
        {
          id: expect.any(String),
          hook: 'guard',
          event: 'PreToolUse',
          fired: 5,
          matched: 4,
          blocked: 1,
          failed: 1,
          exitCodes: { 0: 2, 2: 1, 4: 1 },
          p50Ms: expect.any(Number),
          p95Ms: expect.any(Number),
        },
      ],
      neverFired: [],
      alwaysFailing: [],
    })
  })
})

describe('a hook that keeps failing', () => {
  const teller = (told: string[]) =>
    defineHook('Notification', ({ message }) => void told.push(message), { matcher: 'hook_failing', name: 'teller' })

  test('is said at its third failure in a row, to the user and to hooks that listen', async () => {
    const told: string[] = []
    const at = await scene([extSource(rule('Stop', 'exit 1', { name: 'shaky' }))], { functions: [teller(told)] })
    const notices: (readonly string[])[] = []
    for (let turn = 0; turn < 4; turn++) notices.push(texts((await fire(at, 'Stop')).notices))
    const message = 'has failed 3 times in a row (exit 1). Repair it, or switch it off with `disabledHooks: [shaky]`.'
    expect(notices).toEqual([
      ['failed (exit 1)'],
      ['failed (exit 1)'],
      [message, 'failed (exit 1)'],
      ['failed (exit 1)'],
    ])
    expect(told).toEqual([`shaky ${message}`])
  })

  test('is forgiven once it has worked', async () => {
    const told: string[] = []
    let turn = 0
    const flaky = defineHook('Stop', () => {
      if (turn++ !== 2) throw new Error('no')
    })
    const at = await scene([], { functions: [flaky, teller(told)] })
    for (let count = 0; count < 5; count++) await fire(at, 'Stop')
    expect(told).toEqual([])
    await fire(at, 'Stop')
    expect(told).toHaveLength(1)
  })

  test('is told at once when it guards calls', async () => {
    const told: string[] = []
    const guard = (onFailure: string) => rule('PreToolUse', `exit 1 # ${onFailure}`, { name: onFailure, onFailure })
    const at = await scene([extSource(guard('continue'), guard('block'))], { functions: [teller(told)] })
    await fire(at, 'PreToolUse')
    expect(told.toSorted()).toEqual([
      'block could not judge a call (exit 1), so the call was blocked.',
      'continue could not judge a call (exit 1), so it held nothing back.',
    ])
  })

  test('never makes a hook that listens to failures tell of itself', async () => {
    let calls = 0
    const broken = defineHook('Notification', () => {
      calls++
      throw new Error('broken too')
    })
    const at = await scene([extSource(rule('PreToolUse', 'exit 1', { name: 'guard' }))], { functions: [broken] })
    const notices: string[] = []
    for (let turn = 0; turn < 4; turn++) notices.push(...texts((await fire(at, 'PreToolUse')).notices))
    // The first failure of a guard, and its third in a row; what is said of them comes with a later event.
    expect(calls).toBe(2)
    expect(notices.filter((text) => text === 'failed (it threw): broken too')).toHaveLength(2)
  })
})

test('a tracer draws a span for each run, and its trace id is in the ledger', async () => {
  const spans: unknown[] = []
  const tracer: NonNullable<HooksOptions['tracer']> = {
    start(name, { attributes }) {
      const own: HookSpanAttributes[] = [attributes]
      return {
        traceId: 'trace-1',
        set: (more) => void own.push(more),
        end: (error) => void spans.push([name, Object.assign({}, ...own), error]),
      }
    },
  }
  const { records, port } = ledger()
  const at = await scene([extSource(rule('Stop', 'exit 1', { name: 'shaky' }))], { tracer, ledger: port })
  await fire(at, 'Stop')
  const attributes = { 'ext.hook.name': 'shaky', 'ext.hook.event': 'Stop', 'ext.session.id': 'session-1' }
  expect(spans).toEqual([['ext.hook.run', { ...attributes, 'ext.hook.outcome': 'failed' }, 'exit 1']])
  expect(records).toMatchObject([{ traceId: 'trace-1' }])
})

test('spans stand in that of their event, also where nobody waits for the hook; without a tracer it is not asked for', async () => {
  const event = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
  const within: unknown[] = []
  const tracer: NonNullable<HooksOptions['tracer']> = {
    start(_name, options) {
      within.push(options.within)
      return { set() {}, end() {} }
    },
  }
  const rules = ['one', 'two'].map((name) => rule('PostToolUse', 'exit 0', { name, async: name === 'two' }))
  let asked = 0
  const options = {
    get trace() {
      asked++
      return event
    },
  }
  const plain = await scene([extSource(...rules)])
  await plain.session.fire('PostToolUse', () => samples.PostToolUse, options)
  expect(asked).toBe(0)
  const at = await scene([extSource(...rules)], { tracer })
  await at.session.fire('PostToolUse', () => samples.PostToolUse, options)
  await at.session.fire('PostToolUse', () => samples.PostToolUse)
  expect(within).toEqual([event, event, undefined, undefined])
})

test('a tracer that fails is said once and costs nothing', async () => {
  const start = () => {
    throw new Error('no collector')
  }
  const hooks = await createHooks({
    layers: [extSource(rule('Stop', 'true'))],
    root: '/',
    ports: nodePorts(),
    tracer: { start },
  })
  const at = { session: hooks.session(session('/')) }
  for (let turn = 0; turn < 2; turn++) expect((await fire(at, 'Stop')).runs).toMatchObject([{ outcome: 'noDecision' }])
  expect(hooks.diagnostics).toMatchObject([{ code: 'hooks.tracer.failed' }])
  await hooks.close()
})

test('the span of a function begins before it and ends after it', async () => {
  const order: string[] = []
  const tracer: NonNullable<HooksOptions['tracer']> = {
    start() {
      order.push('begins')
      return { set() {}, end: () => void order.push('ends') }
    },
  }
  const at = await scene([], { functions: [defineHook('Stop', () => void order.push('runs'))], tracer })
  await fire(at, 'Stop')
  expect(order).toEqual(['begins', 'runs', 'ends'])
})
