import { describe, expect, it } from 'vitest'
import type { ContextBlock, Extension } from '../src/types.js'
import { echoTool, ofType, play, scripted } from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }

const contextOf = (blocks: () => readonly ContextBlock[]): Extension => ({ session: () => ({ context: blocks }) })
const toolsOf = (...names: readonly string[]): Extension => {
  const tools = names.map((name) => echoTool(name))
  return { session: () => ({ tools: () => tools }) }
}

describe('the system prompt', () => {
  it('is byte for byte the same in all turns, also when an extension changes its mind, which is said once', async () => {
    let asked = 0
    const model = scripted(CALL, CALL, CALL, END)
    const { events } = await play({
      model,
      system: 'Be brief.',
      tools: [echoTool()],
      extensions: [contextOf(() => [{ by: 'skills', place: 'system', text: `${Math.min(++asked, 2)} skills` }])],
    })
    expect(model.requests.map(({ system }) => system)).toEqual(Array(4).fill('Be brief.\n\n1 skills'))
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'What belongs into the system prompt has changed; new sessions will see it.' },
    ])
  })

  it('is empty when nobody gives one', async () => {
    const model = scripted(END)
    await play({ model })
    expect(model.requests[0]?.system).toBe('')
  })
})

describe('a context block of the turn', () => {
  it('goes with the newest message of every request, is announced once, and is gone when it is no longer given', async () => {
    const blocks: ContextBlock[] = []
    const model = scripted(CALL, CALL, CALL, END)
    const echo = echoTool('Echo', {
      run: async () => {
        if (model.requests.length === 1) blocks.push({ by: 'skill release', place: 'turn', text: 'How to release: …' })
        if (model.requests.length === 3) blocks.length = 0
        return { content: [], isError: false }
      },
    })
    const { events, session } = await play({ model, tools: [echo], extensions: [contextOf(() => [...blocks])] })
    const block = { role: 'user', content: [{ type: 'text', text: 'How to release: …' }] }
    expect(model.requests.map(({ messages }) => messages.filter((message) => message.role === 'user'))).toEqual([
      [expect.anything()],
      [expect.anything(), block],
      [expect.anything(), block],
      [expect.anything()],
    ])
    expect(model.requests[2]?.messages.at(-1)).toEqual(block)
    expect(ofType(events, 'context')).toMatchObject([{ by: 'skill release', place: 'turn' }])
    expect(JSON.stringify(session.messages)).not.toContain('How to release')
  })
})

describe('the tools', () => {
  it('are sorted by name, and the first one of a name wins, which is said', async () => {
    const model = scripted({ calls: [{ tool: 'B', input: { text: 'hi' } }] }, END)
    const own = echoTool('B', { description: 'my own' })
    const { events } = await play({ model, tools: [own], extensions: [toolsOf('C', 'B'), toolsOf('A')] })
    expect(model.requests[0]?.tools.map(({ name, description }) => [name, description])).toEqual([
      ['A', 'Repeats a text.'],
      ['B', 'my own'],
      ['C', 'Repeats a text.'],
    ])
    expect(own.ran).toHaveLength(1)
    expect(ofType(events, 'notice')).toMatchObject([{ text: 'Several tools are called B; the first one is used.' }])
    expect(ofType(events, 'session_start')[0]?.tools).toEqual(['A', 'B', 'C'])
    expect(events[0]?.type).toBe('session_start')
  })

  it('that come and go are there in the next turn', async () => {
    const tools = [echoTool('A')]
    let list = tools
    const model = scripted({ calls: [{ tool: 'A', input: { text: 'hi' } }] }, END)
    const changing = echoTool('A', {
      run: async () => {
        list = [...tools, echoTool('B')]
        return { content: [], isError: false }
      },
    })
    await play({ model, tools: [changing], extensions: [{ session: () => ({ tools: () => list }) }] })
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['A'], ['A', 'B']])
  })

  it('of an extension that fails are left out with one notice, and the others stay', async () => {
    const failing: Extension = {
      session: () => ({
        tools: () => {
          throw new Error('server is gone')
        },
      }),
    }
    const model = scripted({ calls: [{ tool: 'A', input: { text: 'hi' } }] }, END)
    const { events, result } = await play({ model, extensions: [failing, toolsOf('A')] })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'notice')).toMatchObject([{ text: 'An extension failed and is left out: server is gone' }])
  })
})
