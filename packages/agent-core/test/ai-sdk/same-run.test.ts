import { describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/ai-sdk/index.js'
import { type Script, scriptedModel } from '../../src/scripted/index.js'
import type { Model, RunEvent } from '../../src/types.js'
import { type AgentSetup, echoTool, ofType, play } from '../kit.js'
import { scriptServer, WIRES } from './server.js'

/** A task with everything that models do: thoughts, several calls, wrong calls, a sub-agent. */
const task: Script = {
  turns: [
    {
      think: 'The echo comes first.',
      say: 'First the echo — “ünïcode” 🎉.',
      calls: [{ tool: 'Echo', input: { text: 'one' } }],
    },
    {
      when: { tool: 'Echo', isError: false, contains: 'echo: one' },
      calls: [
        { tool: 'Echo', input: { text: 'two', more: 1 } },
        { tool: 'Ecko', input: {} },
        { tool: 'Echo', input: '{"text": ' },
        { tool: 'Echo', input: { text: 'line\nbreak "quoted" \\ {"nested": [1, 2.5, null]}' } },
        { tool: 'agent', input: { type: 'reviewer', prompt: 'Look at the diff.' } },
      ],
      usage: { inputTokens: 40, outputTokens: 2 },
    },
    { when: { tool: 'Echo', isError: true }, say: 'That was all.', usage: { inputTokens: 50, outputTokens: 3 } },
  ],
  agents: [
    {
      when: { contains: 'the diff' },
      turns: [{ calls: [{ tool: 'Echo', input: { text: 'diff' } }] }, { say: 'The diff is fine.' }],
    },
  ],
}

const options = (model: Model): AgentSetup => ({
  model,
  system: 'You help.',
  tools: [echoTool()],
  agents: [{ name: 'reviewer', description: 'Reviews.', prompt: 'You review.' }],
})

/** Texts come in other pieces; everything else must be the same. */
function joined(events: readonly RunEvent[]): readonly RunEvent[] {
  const all: RunEvent[] = []
  for (const event of events) {
    const last = all.at(-1)
    if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) {
      all[all.length - 1] = { ...last, text: last.text + event.text }
    } else all.push(event)
  }
  return all
}

describe.each(WIRES)('a task over the wire of %s', (wire) => {
  it('gives the very events of the scripted model: the same calls, results, rejections and texts', async () => {
    const expected = await play(options(scriptedModel(task, { id: 'm' })))
    const { model, requests } = await scriptServer(task, wire)
    const { events, result } = await play(options(aiSdkModel(model, { id: 'm' })))
    expect(ofType(events, 'tool_call').map(({ tool }) => tool)).toEqual([
      'Echo',
      'Echo',
      'Ecko',
      'Echo',
      'Echo',
      'agent',
      'Echo',
    ])
    expect(joined(events)).toEqual(joined(expected.events))
    expect(result).toMatchObject({ reason: 'done', text: 'That was all.' })
    expect(requests).toHaveLength(5)
  })

  it('ends as the scripted model does where the conversation departs from the script', async () => {
    const departing: Script = { turns: [{ when: { contains: 'something else' }, say: 'never' }] }
    const { model } = await scriptServer(departing, wire)
    const { result } = await play(options(aiSdkModel(model)))
    expect(result.error).toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('expects a text that contains "something else"'),
    })
  })
})
