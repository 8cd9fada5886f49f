import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messagesProblem } from '../../src/messages.js'
import { createFold } from '../../src/sessions/fold.js'
import { parseLog } from '../../src/sessions/parse.js'
import { type AgentSetup, echoTool, hooks, modelOf, READS, setUp } from '../kit.js'
import { store } from './kit.js'

const call = (id: string, name: string) => ({ type: 'tool_call', id, name, input: { text: `${id} — “ü”` } }) as const
const say = (text: string) => ({ type: 'text', text }) as const

const AGENTS: Pick<AgentSetup, 'agents' | 'handoff'> = {
  agents: [{ name: 'other', description: 'O.', prompt: 'O.', handoff: true, permissionMode: 'plan' }],
  handoff: { inputFilter: (all) => all.slice(0, 1) },
}

/**
 * The log of a session with several runs, calls side by side, hook context, a compaction, sub-agents in front and behind,
 * and a handoff.
 */
async function sampleLog(): Promise<Buffer> {
  const kept = store()
  const usage = { type: 'usage', inputTokens: 10, outputTokens: 1 } as const
  const { agent, session } = await setUp({
    model: modelOf(
      [say('I look'), call('a', 'Read'), call('b', 'Read'), call('c', 'Write'), usage],
      [call('d', 'Write'), call('e', 'Missing')],
      [say('done'), usage],
      [say('a summary of it')],
      [call('f', 'Write')],
      [{ type: 'tool_call', id: 'g', name: 'agent', input: { type: 'other', prompt: 'x' } }],
      [say('a sub-agent')],
      [{ type: 'tool_call', id: 'h', name: 'agent', input: { type: 'other', prompt: 'x', background: true } }],
      [{ type: 'tool_call', id: 'i', name: 'handoff', input: { to: 'other', reason: 'so' } }],
      [say('and done again')],
      [say('and done again')],
    ),
    ...AGENTS,
    tasks: {},
    tools: [echoTool('Write'), echoTool('Read', { annotations: READS })],
    interceptor: hooks({ PostToolBatch: () => ({ context: [{ by: 'me', text: 'nice' }] }) }),
    extensions: [{ session: () => ({ state: () => ({ active: ['x'] }), restore: () => {} }) }],
    compaction: { keepTurns: 1 },
    store: kept,
  })
  await session.run(`first ${'word '.repeat(200)}`).result
  expect((await session.compact().result).reason).toBe('done')
  await session.run('second').result
  await agent.close()
  return readFileSync(kept.place(session.id))
}

function restored(bytes: Uint8Array) {
  const { header, events, diagnostics, rest, usedBytes } = parseLog(bytes, 's.jsonl')
  if (!header) return { diagnostics, rest, usedBytes }
  const fold = createFold(header)
  const problems = events.flatMap((event) => fold.add(event) ?? [])
  return { diagnostics, rest, usedBytes, problems, session: fold.restored() }
}

/** Nothing at all, or a conversation of which only the newest answer can be without its results. */
function expectValid({ session, problems }: ReturnType<typeof restored>): void {
  expect(problems ?? []).toEqual([])
  if (!session || session.messages.length === 0) return
  const { messages, open } = session
  const whole = open ? messages.slice(0, -1) : messages
  // What the loop could send, once there is a prompt behind it.
  const asked = [...whole, { role: 'user', content: [] }]
  expect(messagesProblem(asked)).toBeUndefined()
  for (const id of open ? [...open.started, ...open.results.keys()] : []) {
    expect(open?.calls.map((each) => each.id)).toContain(id)
  }
}

describe('a log that ends anywhere', () => {
  it('is a conversation that can go on, whatever byte it ends with, and grows with each line', async () => {
    const log = await sampleLog()
    let before = 0
    for (let length = 0; length <= log.length; length++) {
      const result = restored(log.subarray(0, length))
      expectValid(result)
      const endsWithLine = length > 0 && log[length - 1] === 10
      expect([length, result.rest]).toEqual([length, endsWithLine ? 'nothing' : length === 0 ? 'damaged' : 'torn'])
      expect(result.usedBytes).toBeGreaterThanOrEqual(before)
      before = result.usedBytes
    }
    expect(restored(log).session?.open).toBeUndefined()
    expect(restored(log).session?.messages.at(-1)).toMatchObject({ text: 'and done again' })
  })

  it('resumes in a real agent, whatever byte it ends with', async () => {
    const log = await sampleLog()
    const headerEnd = log.indexOf(10) + 1
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: headerEnd, max: log.length }), async (length) => {
        const kept = store()
        const created = await kept.create({ ...JSON.parse(log.subarray(0, headerEnd).toString()), id: 's' })
        await created.close()
        writeFileSync(kept.place('s'), log.subarray(0, length))
        const { agent } = await setUp({
          model: modelOf([say('there')]),
          tools: [echoTool('Write'), echoTool('Read', { annotations: READS })],
          ...AGENTS,
          store: kept,
        })
        const session = await agent.resume('s')
        const run = session.isUnfinished ? session.continue() : session.run('go on')
        expect((await run.result).reason).toBe('done')
        const messages = session.messages
        expect(messagesProblem([...messages, { role: 'user', content: [] }])).toBeUndefined()
        await agent.close()
        const again = await setUp({ model: modelOf(), ...AGENTS, store: kept })
        expect((await again.agent.resume('s')).messages).toEqual(messages)
        await again.agent.close()
      }),
      { numRuns: 60, seed: 7 },
    )
  })
})

describe('a log in which anything was changed', () => {
  it('is a conversation up to the first line that makes no sense', async () => {
    const log = await sampleLog()
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: log.length - 1 }), fc.integer({ min: 0, max: 255 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (changes) => {
          const changed = Buffer.from(log)
          for (const [at, byte] of changes) changed[at] = byte
          expectValid(restored(changed))
        },
      ),
      { numRuns: 500, seed: 11 },
    )
  })

  it('is one also when lines are left out, doubled or in another order', async () => {
    const [first = '', ...lines] = (await sampleLog()).toString().trimEnd().split('\n')
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines), { maxLength: 40 }), (some) => {
        expectValid(restored(Buffer.from(`${[first, ...some].join('\n')}\n`)))
      }),
      { numRuns: 500, seed: 13 },
    )
  })
})
