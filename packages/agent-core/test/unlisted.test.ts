import type { Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../src/scripted/index.js'
import type { Extension } from '../src/types.js'
import { echoTool, gate, hooks, nonsense, ofType, play, resultTexts, scripted } from './kit.js'

const CALL = { calls: [{ tool: 'Hidden', input: { text: 'hi' } }] }
const END = { say: 'done' }

const withUnlisted = (tool: (name: string) => Tool | undefined): Extension => ({
  session: () => ({ tools: () => [], tool }),
})

describe('a tool that an extension does not list', () => {
  it('can be called by its name, past the same hooks and the same gate, and is in no prompt', async () => {
    const hidden = echoTool('Hidden')
    const model = scripted(CALL, END)
    const interceptor = hooks()
    const permission = gate()
    const { events, session } = await play({
      model,
      interceptor,
      gate: permission,
      extensions: [withUnlisted((name) => (name === 'Hidden' ? hidden : undefined))],
    })
    expect(hidden.ran).toEqual([{ text: 'hi' }])
    expect(resultTexts(session)).toEqual(['echo: hi'])
    expect(model.requests.map(({ tools }) => tools)).toEqual([[], []])
    expect(interceptor.log.find(({ event }) => event === 'PreToolUse')?.payload).toMatchObject({ tool_name: 'Hidden' })
    expect(permission.log).toMatchObject([{ tool: { name: 'Hidden' } }])
    expect(ofType(events, 'tool_call')).toMatchObject([{ tool: 'Hidden', source: { tool: 'Hidden' } }])
  })

  it('has no say where a listed tool has the name', async () => {
    const [listed, hidden] = [echoTool('Hidden'), echoTool('Hidden')]
    await play({ model: scripted(CALL, END), tools: [listed], extensions: [withUnlisted(() => hidden)] })
    expect([listed.ran.length, hidden.ran.length]).toEqual([1, 0])
  })

  it.each([
    ['another name', () => echoTool('Other'), 'There is no tool Hidden. There are none at all.'],
    ['no tool', () => nonsense({ name: 'Hidden' }), 'There is no tool Hidden. The tool Hidden is left out: it needs'],
    [
      'an error',
      () => {
        throw new Error('disk full')
      },
      'There is no tool Hidden. An extension failed when it was asked for it: disk full',
    ],
  ])('does not exist if the extension gives %s', async (_what, give, text) => {
    const { session } = await play({ model: scripted(CALL, END), extensions: [withUnlisted(give)] })
    expect(resultTexts(session)[0]).toContain(text)
  })

  it.each([
    ['may not be called by a sub-agent whose list of tools lacks it', 'Read', []],
    ['may be called by one whose list has it', 'Hidden', [{ text: 'hi' }]],
  ])('%s', async (_what, allowed, ran) => {
    const hidden = echoTool('Hidden')
    const start = { calls: [{ tool: 'agent', input: { type: 'reader', prompt: 'look' } }] }
    const reader = { when: { contains: 'look' }, turns: [CALL, END] }
    await play({
      model: scriptedModel({ turns: [start, END], agents: [reader] }),
      extensions: [withUnlisted((name) => (name === 'Hidden' ? hidden : undefined))],
      agents: [{ name: 'reader', description: 'Reads.', prompt: 'Read.', tools: [allowed] }],
    })
    expect(hidden.ran).toEqual(ran)
  })
})

describe('a tool with a form of its schema for models', () => {
  const inputSchema = { type: 'object', properties: { text: { type: 'string', maxLength: 3 } }, required: ['text'] }
  const modelSchema = { type: 'object', properties: { text: { type: 'string' } } }

  it('is shown in that form, and its input is checked against the schema', async () => {
    const tool = echoTool('Hidden', { inputSchema, modelSchema })
    const long = { calls: [{ tool: 'Hidden', input: { text: 'long text' } }] }
    const model = scripted(long, CALL, END)
    const { session } = await play({ model, tools: [tool] })
    expect(model.requests[0]?.tools).toEqual([
      { name: 'Hidden', description: 'Repeats a text.', inputSchema: modelSchema },
    ])
    expect(resultTexts(session)).toEqual([expect.stringContaining('The input does not fit the schema'), 'echo: hi'])
    expect(tool.ran).toEqual([{ text: 'hi' }])
  })

  it('is left out if that form is none, which is said', async () => {
    const { events } = await play({
      model: scripted(END),
      tools: [echoTool('Hidden', { modelSchema: nonsense('none') })],
    })
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'The tool Hidden is left out: its modelSchema is no map.' },
    ])
  })
})
