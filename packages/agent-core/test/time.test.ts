import { nodeClock } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../src/index.js'
import type { AgentLimits, Model } from '../src/types.js'
import { CWD, echoTool, gate } from './kit.js'

/** Calls a tool for ever, and answers at once. */
function tireless(): Model {
  let turn = 0
  return {
    id: 'tireless',
    async *stream() {
      yield { type: 'tool_call', id: `${++turn}`, name: 'Echo', input: { text: `${turn}` } }
    },
  }
}

const agentOf = (limits: AgentLimits) =>
  createAgent({
    model: tireless(),
    tools: [echoTool('Echo', { run: async () => ({ content: [], isError: false }) })],
    gate: gate(),
    ports: { clock: nodeClock() },
    limits,
  })

describe('a run in which everything answers at once', () => {
  it('lets others have their turn, however long it goes on', async () => {
    const agent = await agentOf({ maxTurns: 20_000 })
    const waiting = await createAgent({
      model: {
        id: 'm',
        async *stream() {
          await new Promise((resolve) => setTimeout(resolve, 5))
          yield { type: 'text', text: 'ok' }
        },
      },
      ports: { clock: nodeClock() },
    })
    const ends: string[] = []
    const fast = agent.session({ cwd: CWD }).run('go')
    const slow = waiting.session({ cwd: CWD }).run('go')
    const note = (name: string) => () => void ends.push(name)
    await Promise.all([fast.result.then(note('20,000 turns')), slow.result.then(note('one that waits for a timer'))])
    expect(ends).toEqual(['one that waits for a timer', '20,000 turns'])
    expect(await fast.result).toMatchObject({ reason: 'max_turns', turns: 20_000 })
  }, 60_000)

  it('ends when its wall clock is used up', async () => {
    const agent = await agentOf({ maxTurns: 1_000_000, maxRunMs: 100 })
    const started = performance.now()
    expect(await agent.session({ cwd: CWD }).run('go').result).toMatchObject({ reason: 'budget' })
    expect(performance.now() - started).toBeLessThan(5000)
  }, 60_000)

  it('can be aborted from outside of it', async () => {
    const agent = await agentOf({ maxTurns: 1_000_000 })
    const { result } = agent.session({ cwd: CWD }).run('go', { signal: AbortSignal.timeout(50) })
    expect(await result).toMatchObject({ reason: 'aborted' })
  }, 60_000)
})
