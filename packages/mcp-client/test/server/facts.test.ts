import { describe, expect, test } from 'vitest'
import type { CallFacts } from '../../src/types.js'
import { hostile, PATIENCE, settled, worker } from '../helpers.js'

/** Clients whose calls are written down. */
async function watched(mcpServers: unknown) {
  const heard: CallFacts[] = []
  const made = await settled(mcpServers, { onCall: (facts) => heard.push(facts) })
  /** What is told of one call, and that the result says the same. */
  const factsOf = async (name: string, input = {}) => {
    heard.length = 0
    const { meta } = await made.call(name, input)
    expect(heard).toHaveLength(1)
    const [{ server: _server, tool: _tool, name: _name, ...facts } = {}] = heard
    expect(meta?.['call']).toEqual(facts)
    return heard[0]
  }
  return { made, heard, factsOf }
}

const NOTHING = { retries: 0, queueMs: 0, runMs: 0 }

describe('of each call one thing is told, whatever becomes of it', () => {
  test('a success: whose tool, how long, how much', async () => {
    const { factsOf } = await watched({ s: worker() })
    const facts = await factsOf('mcp__s__wait', { ms: 120 })
    expect(facts).toEqual({
      server: 's',
      tool: 'wait',
      name: 'mcp__s__wait',
      phase: 'call',
      retries: 0,
      queueMs: expect.any(Number),
      runMs: expect.any(Number),
      bytes: 4,
    })
    expect(facts?.runMs).toBeGreaterThan(100)
    expect(facts?.queueMs).toBeLessThan(100)
  })

  test('a failure: how far it came, and why it failed', async () => {
    const { made, factsOf } = await watched({
      odd: hostile('odd'),
      die: { ...hostile('die'), reconnect: false },
      off: { command: 'no-such-program' },
      slow: { ...hostile('slow'), timeout: { call: '100ms' } },
      few: { ...hostile('echo'), limits: { rate: { perSecond: 0.001, burst: 1 } } },
      held: { ...hostile('rugpull') },
    })
    expect(await factsOf('mcp__odd__echo', { what: 'iserror' })).toMatchObject({ phase: 'call', kind: 'remote' })
    expect(await factsOf('mcp__odd__echo', { what: 'malformed' })).toMatchObject({ phase: 'call', kind: 'protocol' })
    expect(await factsOf('mcp__die__echo')).toMatchObject({ phase: 'call', kind: 'network' })
    expect(await factsOf('mcp__off__any')).toMatchObject({
      server: 'off',
      phase: 'connect',
      kind: 'network',
      ...NOTHING,
    })
    expect(await factsOf('mcp__slow__echo')).toMatchObject({ phase: 'call', kind: 'timeout' })
    await made.call('mcp__few__echo', {})
    expect(await factsOf('mcp__few__echo')).toMatchObject({ phase: 'call', kind: 'limited', retries: 0, runMs: 0 })
    expect(await factsOf('nobody')).toMatchObject({ name: 'nobody', phase: 'find', kind: 'protocol', ...NOTHING })
    expect(await factsOf('mcp__odd__none')).toMatchObject({ server: 'odd', phase: 'find', kind: 'protocol' })
    await made.call('mcp__held__add', {})
    await expect.poll(() => made.held().length, { timeout: PATIENCE }).toBe(1)
    expect(await factsOf('mcp__held__add')).toMatchObject({ phase: 'find', kind: 'protocol', ...NOTHING })
  })

  test('a call that was sent again: how often', async () => {
    const { factsOf } = await watched({ s: { ...worker({ crash: 1, tools: ['read'] }), trust: true } })
    expect(await factsOf('mcp__s__read')).toMatchObject({ phase: 'call', kind: 'network', retries: 3 })
  })

  test('one that waited for its turn: how long', async () => {
    const { made, heard } = await watched({ s: { ...worker(), limits: { concurrency: 1 } } })
    await Promise.all([1, 2].map(() => made.call('mcp__s__wait', { ms: 150 })))
    expect(heard).toHaveLength(2)
    expect(heard[1]?.queueMs).toBeGreaterThan(100)
    expect(heard[1]?.runMs).toBeLessThan(400)
  })

  test('one that is aborted while it waits or runs; one that never began is none', async () => {
    const { made, heard } = await watched({ s: hostile('slow') })
    const controller = new AbortController()
    const calling = made.call('mcp__s__echo', {}, { signal: controller.signal })
    await expect.poll(() => made.status()[0]?.calls.running).toBe(1)
    controller.abort(new Error('private'))
    await expect(calling).rejects.toThrow('private')
    expect(heard).toMatchObject([{ server: 's', tool: 'echo', phase: 'call', kind: 'aborted', bytes: 0 }])
    await expect(made.call('mcp__s__echo', {}, { signal: controller.signal })).rejects.toThrow('private')
    expect(heard).toHaveLength(1)
  })

  test('a listener that throws costs nothing', async () => {
    const made = await settled(
      { s: hostile('echo') },
      {
        onCall: () => {
          throw new Error('oops')
        },
      },
    )
    expect((await made.call('mcp__s__echo', {})).isError).toBe(false)
    expect(made.diagnostics).toMatchObject([{ code: 'mcp.listener.failed', message: '`onCall` threw an error: oops.' }])
  })
})
