import type { AgentOrder, AgentOutcome, AgentRunner, SessionRef } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Agent, AgentOptions, Interceptor, Model } from '../../src/types.js'
import { type AgentSetup, collect, echoTool, hooks, ofType, READS, scripted, settle, setUp } from '../kit.js'

const END = { say: 'done' }

/** A session with a hook on Stop that has a sub-agent run, as `@ext/hooks` does it. */
async function asking(order: Partial<AgentOrder>, options: Partial<AgentSetup> & Pick<AgentOptions, 'model'>) {
  let agent: Agent | undefined
  const outcomes: AgentOutcome[] = []
  const refs: SessionRef[] = []
  const interceptor: Interceptor = {
    session: (session) => {
      refs.push(session)
      return {
        async fire(event) {
          if (event === 'Stop' && agent) {
            outcomes.push(await agent.runner.run({ session, prompt: 'judge it', ...order }, {}))
          }
          return { runs: [], context: [], notices: [] }
        },
      }
    },
  }
  const setup = await setUp({ interceptor, ...options })
  agent = setup.agent
  const run = setup.session.run('go')
  const events = await collect(run)
  return { ...setup, outcomes, refs, events, result: await run.result }
}

describe('the runner of an agent', () => {
  it('runs a sub-agent for a hook, in the run and the budget of its session', async () => {
    const usage = { inputTokens: 7, outputTokens: 0 }
    const judge = scripted({ say: '{"ok":true}', usage })
    const { outcomes, events, refs, result } = await asking(
      { model: 'judge' },
      { model: scripted(END), models: (name) => (name === 'judge' ? judge : undefined) },
    )
    expect(outcomes).toEqual([{ done: true, text: '{"ok":true}' }])
    expect(result).toMatchObject({ reason: 'done', turns: 1, usage: { inputTokens: 7 } })
    expect(refs.map(({ origin, agent }) => [origin, agent?.type])).toEqual([
      ['main', undefined],
      ['hook', 'helper'],
    ])
    expect(ofType(events, 'agent_start')[0]).not.toHaveProperty('tool_use_id')
    expect(ofType(events, 'agent_end')).toMatchObject([{ agent_type: 'helper', reason: 'done' }])
    expect(judge.requests[0]?.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'judge it' }] }])
  })

  it('lets whoever guards come to an end with a budget that is used up, and nobody else', async () => {
    const usage = { inputTokens: 60, outputTokens: 0 }
    const used = async (order: Partial<AgentOrder>) => {
      const judge = scripted({ say: 'no', usage: { inputTokens: 7, outputTokens: 0 } })
      const options = { model: scripted({ ...END, usage }), models: () => judge, limits: { maxTokens: 50 } }
      const { outcomes, result } = await asking({ model: 'judge', ...order }, options)
      return [outcomes[0]?.done, outcomes[0]?.problem ?? outcomes[0]?.text, result.usage.inputTokens]
    }
    expect(await used({ guards: true })).toEqual([true, 'no', 67])
    expect(await used({})).toEqual([false, expect.stringContaining('The budget of 50 tokens is used up: 60.'), 60])
  })

  it.each<[string, Partial<AgentOrder>, readonly string[]]>([
    ['those that only read, unless it says which', {}, ['Look']],
    ['those that it lists', { tools: ['Edit', 'Look'] }, ['Edit', 'Look']],
    [
      'of those that it lists no more than its definition allows',
      { type: 'narrow', tools: ['Edit', 'Look'] },
      ['Look'],
    ],
    ['never the one that starts sub-agents', { tools: ['*'] }, ['Edit', 'Look', 'Remote']],
  ])('gives it tools: %s', async (_, order, names) => {
    const judge = scripted(END)
    await asking(
      { model: 'judge', ...order },
      {
        model: scripted(END),
        models: () => judge,
        agents: [{ name: 'Narrow', description: 'x', prompt: 'x', tools: ['Look'] }],
        tools: [
          echoTool('Look', { annotations: READS }),
          echoTool('Edit'),
          echoTool('Remote', { annotations: READS, source: { server: 's', tool: 'r', trusted: false } }),
        ],
      },
    )
    expect(judge.requests[0]?.tools.map(({ name }) => name)).toEqual(names)
  })

  it('says what went wrong in its outcome', async () => {
    const unknown = await asking(
      { type: 'judgge' },
      { model: scripted(END), agents: [{ name: 'judge', description: 'x', prompt: 'x' }] },
    )
    expect(unknown.outcomes).toEqual([
      { done: false, text: '', problem: 'There is no sub-agent judgge. Did you mean judge?' },
    ])
    const endless = scripted({ say: 'hm', calls: [{ tool: 'Look', input: { text: 'x' } }], loop: true })
    const limited = await asking(
      { model: 'm', maxTurns: 2 },
      { model: scripted(END), models: () => endless, tools: [echoTool('Look', { annotations: READS })] },
    )
    expect(limited.outcomes).toEqual([
      {
        done: false,
        text: 'hm',
        problem: 'The sub-agent helper did not finish (max_turns: The limit of 2 turns is reached.).',
      },
    ])
    const { agent, session } = await setUp({ model: scripted(END), interceptor: hooks() })
    const ref: SessionRef = { id: session.id, cwd: '/', origin: 'main', permissionMode: 'default' }
    expect(await agent.runner.run({ session: ref, prompt: 'x' }, {})).toMatchObject({
      problem: 'The session has no run under way.',
    })
  })

  it('ends with whoever waits for it, and rejects with their reason', async () => {
    const stuck: Model = { id: 'm', stream: () => nothingComes() }
    const controller = new AbortController()
    let runner: AgentRunner | undefined
    const { agent, session, clock } = await setUp({
      model: scripted(END),
      models: () => stuck,
      interceptor: {
        session: (ref) => ({
          fire: (event) =>
            event === 'Stop'
              ? runner?.run({ session: ref, prompt: 'x', model: 'm' }, { signal: controller.signal }).then(
                  () => ({ runs: [], context: [], notices: [] }),
                  (reason) => ({ runs: [], context: [], notices: [{ by: 'hook', text: `ended: ${reason}` }] }),
                )
              : undefined,
        }),
      },
    })
    runner = agent.runner
    const run = session.run('go')
    await settle()
    controller.abort('too slow')
    expect(await run.result).toMatchObject({ reason: 'done' })
    const events = await collect(run)
    expect(ofType(events, 'notice').map(({ text }) => text)).toContain('ended: too slow')
    expect(ofType(events, 'agent_end')).toMatchObject([{ reason: 'aborted' }])
    expect(clock.pending).toBe(0)
  })
})

async function* nothingComes(): AsyncGenerator<never> {
  yield await new Promise<never>(() => {})
}
