import { readFileSync, writeFileSync } from 'node:fs'
import type { Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Agent, AgentSession, Model } from '../../src/types.js'
import { type AgentSetup, CWD, echoTool, hooks, never, runnerHooks, settle, setUp } from '../kit.js'
import { eventsIn, killed, store, temporaryFolder } from './kit.js'

/** Each answer takes 30 tokens and a dollar, and calls the tool once more. */
const hungry: Model = {
  id: 'hungry',
  async *stream({ messages }) {
    yield { type: 'tool_call', id: `c${messages.length}`, name: 'Look', input: { text: String(messages.length) } }
    yield { type: 'usage', inputTokens: 20, outputTokens: 10, costUsd: 1 }
  },
}

/** It hangs at its first call after so many. */
function looking(hangsAfter: number): Tool {
  let calls = 0
  return echoTool('Look', {
    run: async () => {
      if (calls++ === hangsAfter) await never()
      return { content: [{ type: 'text', text: 'Nothing.' }], isError: false }
    },
  })
}

/** Lets whatever is under way get as far as it can, files included. */
async function asFarAsItGets() {
  await settle()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await settle()
}

/** What becomes of a run whose process is ended once and twice while a tool is at work, and which goes on each time. */
async function cutTwice(limits: { readonly maxTokens?: number; readonly maxCostUsd?: number }) {
  let folder = temporaryFolder()
  let id: string | undefined
  for (const hangsAfter of [1, 1]) {
    const { agent } = await setUp({ model: hungry, limits, store: store(folder), tools: [looking(hangsAfter)] })
    const session = id === undefined ? agent.session({ cwd: CWD }) : await agent.resume(id)
    id = session.id
    if (session.isUnfinished) session.continue()
    else session.run('go')
    await settle()
    await new Promise((resolve) => setTimeout(resolve, 20))
    folder = killed(folder)
  }
  const { agent } = await setUp({ model: hungry, limits, store: store(folder), tools: [looking(100)] })
  const session = await agent.resume(id ?? '')
  const result = await session.continue().result
  const again = await session.run('more').result
  await agent.close()
  return { result, again }
}

describe('the budget of a run that goes on in another process', () => {
  it('is that of the whole run, and the next run has its own', async () => {
    const { result, again } = await cutTwice({ maxTokens: 200 })
    expect(result).toMatchObject({ reason: 'budget', turns: 7 })
    expect(result.error?.message).toBe('The budget of 200 tokens is used up: 210.')
    expect(again).toMatchObject({ reason: 'budget', turns: 7, error: { message: expect.stringContaining('210') } })
  })

  it('counts money as well', async () => {
    const { result } = await cutTwice({ maxCostUsd: 6 })
    expect(result).toMatchObject({ reason: 'budget', turns: 6 })
    expect(result.error?.message).toBe('The budget of 6 US dollars is used up: 6.')
  })
})

/** Each answer takes 30 tokens. The first agent works through its list, a word is its last one; others say a word. */
function working(...calls: readonly string[]): Model {
  return {
    id: 'working',
    async *stream({ messages, system, tools }) {
      yield { type: 'usage', inputTokens: 20, outputTokens: 10 }
      const done = messages.filter(({ role }) => role === 'assistant').length
      const isFirst = system.startsWith('first') && tools.length > 0
      const name = isFirst ? calls[done] : undefined
      if (name === undefined) yield { type: 'text', text: 'Done.' }
      else yield { type: 'tool_call', id: `c${done}`, name, input: inputOf(name) }
    },
  }
}

const inputOf = (name: string) => (name === 'agent' ? { type: 'reader', prompt: 'Read.' } : { text: name })

const reader = { name: 'reader', description: 'Reads.', prompt: 'other' }

const TEXT = { content: [{ type: 'text', text: 'ok' }], isError: false } as const

/** Runs until something hangs, ends the process, and lets the run go on in another one, where nothing does. */
async function cut(
  options: (living: boolean) => AgentSetup & { readonly join?: (agent: Agent) => void },
  change = (_log: string) => {},
) {
  const open = async (folder: string, living: boolean) => {
    const { join, ...setup } = options(living)
    const { agent } = await setUp({
      system: 'first',
      agents: [reader],
      limits: { maxTokens: 200 },
      store: store(folder),
      ...setup,
    })
    join?.(agent)
    return agent
  }
  const first = temporaryFolder()
  const { id } = startIn((await open(first, true)).session({ cwd: CWD }))
  await asFarAsItGets()
  const folder = killed(first)
  const file = store(folder).place(id)
  change(file)
  const agent = await open(folder, false)
  const session = await agent.resume(id)
  const { error, turns } = await session.continue().result
  await agent.close()
  return { message: error?.message, turns, events: eventsIn(file) }
}

function startIn(session: AgentSession): AgentSession {
  session.run('go')
  return session
}

/** It does what it is there for the first time, and hangs after that as long as the first process lives. */
const hangsIf = (living: boolean) => echoTool('Hang', { run: async () => (living ? never() : TEXT) })
const many = (name: string) => Array.from({ length: 10 }, () => name)

describe('what a run has used beside its answers', () => {
  const spentIn = (events: ReturnType<typeof eventsIn>) => events.filter(({ type }) => type === 'spent')

  it('counts when it goes on in another process: sub-agents that had ended', async () => {
    const { message, turns, events } = await cut((living) => ({
      model: working('agent', 'agent', ...many('Hang')),
      tools: [hangsIf(living)],
    }))
    // Three answers and two sub-agents before, two answers after.
    expect(message).toBe('The budget of 200 tokens is used up: 210.')
    expect(turns).toBe(5)
    expect(spentIn(events)).toMatchObject([
      { usage: { inputTokens: 20, outputTokens: 10 }, agent: expect.any(String) },
      { agent: expect.any(String) },
    ])
  })

  it('counts a sub-agent once that had ended and whose starter had not heard of it', async () => {
    for (const isTold of [true, false]) {
      const { message, turns } = await cut(
        (living) => ({
          model: working('agent', ...many('Hang')),
          tools: [hangsIf(false)],
          interceptor: hooks({
            PostToolUse: ({ tool_name }) => (living && tool_name === 'agent' ? never() : undefined),
          }),
        }),
        (log) => {
          // As if the process had been ended before it could say so.
          if (!isTold) withoutSpent(log)
        },
      )
      expect([message, turns], String(isTold)).toEqual(['The budget of 200 tokens is used up: 210.', 6])
    }
  })

  it('counts what the model has thought for a server', async () => {
    let agent: Agent | undefined
    const { message, turns } = await cut((living) => ({
      model: working('Think', ...many('Hang')),
      tools: [
        hangsIf(living),
        echoTool('Think', {
          async run() {
            const request = () => ({ system: 'other', messages: [], tools: [] })
            for (let time = 0; time < 3; time++) await agent?.sample({ by: 'server files', request })
            return TEXT
          },
        }),
      ],
      join: (made) => {
        agent = made
      },
    }))
    expect([message, turns]).toEqual(['The budget of 200 tokens is used up: 210.', 4])
  })

  it('counts sub-agents of hooks', async () => {
    const { message, turns } = await cut((living) => {
      const { interceptor, join } = runnerHooks((runner, event, ref) =>
        event === 'PostToolUse' && ref.origin === 'main'
          ? runner.run({ session: ref, prompt: 'Look.', tools: [] }, {})
          : undefined,
      )
      return { model: working('Echo', ...many('Hang')), tools: [echoTool(), hangsIf(living)], interceptor, join }
    })
    // Two answers and one of a hook before, then two of each.
    expect([message, turns]).toEqual(['The budget of 200 tokens is used up: 210.', 4])
  })

  it('is no event of a log that an older version wrote, which is gone on with as before', async () => {
    const { message, events } = await cut(
      (living) => ({ model: working('agent', 'Hang', ...many('agent')), tools: [hangsIf(living)] }),
      (log) => {
        withoutSpent(log)
        writeFileSync(log, readFileSync(log, 'utf8').replace('"version":3', '"version":2'))
      },
    )
    expect(message).toMatch(/The budget of 200 tokens is used up/)
    expect(spentIn(events)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'budget' })
  })
})

function withoutSpent(log: string): void {
  const lines = readFileSync(log, 'utf8').split('\n')
  writeFileSync(log, lines.filter((line) => !line.startsWith('{"type":"spent"')).join('\n'))
}
