import type { Message } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Extension, Model, ModelRequest } from '../src/types.js'
import { echoTool, setUp } from './kit.js'

/** Longer than what is copied for each request. */
const LENGTH = 9000

const conversation: readonly Message[] = Array.from({ length: LENGTH }, (_, index) => {
  const text = `message ${index}`
  return index % 2 === 0 ? { role: 'user', content: [{ type: 'text', text }] } : { role: 'assistant', text, calls: [] }
})
const prompts = [...conversation, { role: 'user', content: [{ type: 'text', text: 'go' }] } as const]

/** Notes down what each request holds, calls a tool in each turn but the last, and does as it likes with its list. */
function modelThat(turns: number, ruin: (messages: Message[], turn: number) => void = () => {}) {
  const asked: Message[][] = []
  const lists: (readonly Message[])[] = []
  const model: Model = {
    id: 'm',
    async *stream({ messages }: ModelRequest) {
      asked.push([...messages])
      lists.push(messages)
      const turn = asked.length
      ruin(messages as Message[], turn)
      if (turn < turns) yield { type: 'tool_call', id: `c${turn}`, name: 'Echo', input: { text: String(turn) } }
      else yield { type: 'text', text: 'done' }
    },
  }
  return { model, asked, lists }
}

async function run(made: ReturnType<typeof modelThat>, extensions: readonly Extension[] = []) {
  const { session } = await setUp({ model: made.model, tools: [echoTool()], extensions, compaction: { keepTurns: 1 } })
  const { reason } = await session.run(prompts).result
  expect(reason).toBe('done')
  return session
}

describe('a conversation of thousands of messages', () => {
  it('is sent whole with every request, in one list that goes on', async () => {
    const made = modelThat(4)
    const session = await run(made)
    const { messages } = session
    expect(made.asked.map(({ length }) => length)).toEqual([9001, 9003, 9005, 9007])
    for (const sent of made.asked) expect(sent).toEqual(messages.slice(0, sent.length))
    expect(new Set(made.lists).size).toBe(1)
  })

  it('has what is for one request only in that request', async () => {
    let asked = 0
    const clock: Extension = {
      session: () => ({ context: () => [{ by: 'clock', place: 'turn', text: `It is ${++asked}.` }] }),
    }
    const made = modelThat(3)
    await run(made, [clock])
    const times = made.asked.map((sent) => sent.filter((each) => JSON.stringify(each).includes('It is ')))
    expect(times.map((each) => JSON.stringify(each))).toEqual([
      expect.stringContaining('It is 1.'),
      expect.stringContaining('It is 2.'),
      expect.stringContaining('It is 3.'),
    ])
    expect(times.map(({ length }) => length)).toEqual([1, 1, 1])
  })

  it.each<readonly [string, (messages: Message[]) => void]>([
    ['adds to', (messages) => messages.unshift({ role: 'user', content: [] })],
    ['takes from', (messages) => messages.splice(5, 3)],
    ['empties', (messages) => messages.splice(0)],
    ['replaces', (messages) => messages.fill({ role: 'user', content: [] })],
    ['turns', (messages) => messages.reverse()],
  ])('is not harmed by a model that %s its list', async (_what, ruin) => {
    const made = modelThat(3, ruin)
    const { messages } = await run(made)
    expect(made.asked.map(({ length }) => length)).toEqual([9001, 9003, 9005])
    for (const sent of made.asked) expect(sent).toEqual(messages.slice(0, sent.length))
  })

  it('begins anew with its summary, and is short from then on', async () => {
    const made = modelThat(2)
    const session = await run(made)
    const before = made.asked.length
    await session.compact().result
    const again = await session.run('and now?').result
    expect(again.reason).toBe('done')
    const sent = made.asked.at(-1) ?? []
    expect(made.asked.length).toBe(before + 2)
    expect(sent.length).toBeLessThan(10)
    expect(sent).toEqual(session.messages.slice(0, sent.length))
  })
})
