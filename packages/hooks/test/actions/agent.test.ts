import type { AgentOrder, AgentOutcome, AgentRunner } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { extSource, fire, load, only, scene, session } from '../support.js'

function answering(outcome: AgentOutcome): AgentRunner & { readonly orders: AgentOrder[] } {
  const orders: AgentOrder[] = []
  return {
    orders,
    async run(order) {
      orders.push(order)
      return outcome
    },
  }
}

function looking(action: object = {}, more: object = {}) {
  const full = { type: 'agent', prompt: 'Does it pass the tests?', ...action }
  return extSource({ name: 'looker', event: 'Stop', action: full, ...more })
}

const ok: AgentOutcome = { done: true, text: 'I ran them. {"ok": true}' }

describe('a sub-agent is run', () => {
  test('with the event, only tools that read, and a limit of turns', async () => {
    const runner = answering(ok)
    const at = await scene([looking()], { host: { runner } })
    const result = await fire(at, 'Stop')
    expect(result.runs).toMatchObject([{ hook: 'looker', outcome: 'noDecision' }])
    expect(runner.orders).toEqual([
      { session: session(at.root), prompt: expect.any(String), guards: true, maxTurns: 50 },
    ])
    expect(runner.orders[0]?.prompt).toMatch(
      /^Does it pass the tests\?\n\nThe event as JSON:\n\{"cwd".*\n\nEnd with one JSON/s,
    )
  })

  test('as the hook has it', async () => {
    const runner = answering(ok)
    const layer = looking({ type: 'subagent', agent: 'tester', tools: ['Bash'], model: 'small', prompt: '$ARGUMENTS' })
    await fire(await scene([layer], { host: { runner } }), 'Stop')
    expect(runner.orders[0]).toMatchObject({ type: 'tester', tools: ['Bash'], model: 'small' })
    expect(runner.orders[0]).not.toHaveProperty('maxTurns')
  })

  test('never from within the agent of a hook', async () => {
    const runner = answering(ok)
    const at = await scene([looking()], { host: { runner } })
    const inner = at.hooks.session({ ...session(at.root), origin: 'hook' })
    expect((await fire({ session: inner }, 'Stop')).runs).toMatchObject([
      { outcome: 'skipped', cause: 'inside the agent of a hook' },
    ])
    expect(runner.orders).toEqual([])
  })
})

describe('its last message', () => {
  test('not ok refuses the stop', async () => {
    const runner = answering({ done: true, text: 'Two fail.\n{"ok": false, "reason": "Two tests fail."}' })
    const result = await fire(await scene([looking()], { host: { runner } }), 'Stop')
    expect(result.block).toEqual({ by: 'looker', reason: 'Two tests fail.' })
  })

  test.each<[AgentOutcome, string]>([
    [{ done: true, text: 'All good.' }, 'an answer that does not end with {ok, reason}'],
    [{ done: false, text: '{"ok": false}', problem: 'max_turns' }, 'the agent did not come to its end'],
  ])('that is none is a failure, which never refuses a stop: %j', async (outcome, cause) => {
    const host = { runner: answering(outcome) }
    const result = await fire(await scene([looking()], { host }), 'Stop')
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect(result.block).toBeUndefined()
  })
})

describe('a runner', () => {
  test('that rejects is a failure', async () => {
    const runner: AgentRunner = { run: () => Promise.reject(new Error('no such agent')) }
    const result = await fire(await scene([looking()], { host: { runner } }), 'Stop')
    expect(result.notices).toEqual([{ by: 'looker', text: 'failed (the agent failed): no such agent' }])
  })

  test('that takes too long is ended', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const runner: AgentRunner = {
      run: (_order, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
    }
    const at = await scene([looking({}, { timeout: '80ms' })], { host: { runner } })
    expect((await fire(at, 'Stop')).runs).toMatchObject([{ outcome: 'timedOut' }])
    expect(signals[0]?.aborted).toBe(true)
  })
})

test('a host without sub-agents is an error when the hook is loaded', async () => {
  expect(only(await load([looking()]))).toMatchObject({
    code: 'hooks.action.host',
    severity: 'error',
    message: 'This host gives hooks no sub-agents, so there is none that could look into it.',
  })
})

test('it has a minute', async () => {
  const hooks = await load([looking()], { host: { runner: answering(ok) } })
  expect(hooks.snapshot.entries[0]?.value.timeoutMs).toBe(60_000)
})
