import { describe, expect, it } from 'vitest'
import { loadRecording, recordedModel, replayedModel } from '../../src/replay/index.js'
import { scriptedModel } from '../../src/scripted/index.js'
import type { Model, RunEvent } from '../../src/types.js'
import { type AgentSetup, echoTool, ofType, play, setUp } from '../kit.js'
import { FILE } from './kit.js'

/** A run with a tool, a sub-agent, wrong calls, and an answer that breaks off. */
const script = {
  turns: [
    { say: 'First the echo.', calls: [{ tool: 'Echo', input: { text: 'one' } }] },
    {
      calls: [
        { tool: 'Ecko', input: {} },
        { tool: 'Echo', input: '{"text": ' },
        { tool: 'agent', input: { type: 'reviewer', prompt: 'Look at the diff.' } },
      ],
      usage: { inputTokens: 40, outputTokens: 2, costUsd: 0.5 },
    },
    { say: 'Half a sen', fail: { kind: 'network', message: 'cut off' } },
  ],
  agents: [
    {
      when: { contains: 'the diff' },
      turns: [{ calls: [{ tool: 'Echo', input: { text: 'diff' } }] }, { say: 'The diff is fine.' }],
    },
  ],
} as const

const options = (model: Model): AgentSetup => ({
  model,
  tools: [echoTool()],
  agents: [{ name: 'reviewer', description: 'Reviews.', prompt: 'You review.' }],
})

async function record(): Promise<{ readonly jsonl: string; readonly events: readonly RunEvent[] }> {
  const { clock } = await setUp({ model: scriptedModel(script) })
  let jsonl = ''
  const model = recordedModel(scriptedModel(script), {
    clock,
    write: (line) => {
      jsonl += line
    },
    onError: (error) => {
      throw error
    },
  })
  const { events } = await play(options(model))
  await model.written()
  return { jsonl, events }
}

async function replay(jsonl: string): Promise<Model> {
  const { value, diagnostics } = await loadRecording(jsonl, { file: FILE })
  expect(diagnostics).toEqual([])
  return replayedModel(value ?? { file: FILE, model: '', calls: [] })
}

describe('a run that was recorded', () => {
  it('is the same run when it is replayed, event by event, with its sub-agent and its failure', async () => {
    const { jsonl, events } = await record()
    expect(ofType(events, 'agent_end')).toMatchObject([{ text: 'The diff is fine.' }])
    expect(ofType(events, 'result')).toMatchObject([{ reason: 'error', text: 'Half a sen', costUsd: 0.5 }])
    const again = await play(options(await replay(jsonl)))
    expect(again.events).toEqual(events)
  })

  it('can be replayed by many sessions side by side', async () => {
    const { jsonl } = await record()
    const { agent } = await setUp(options(await replay(jsonl)))
    const runs = Array.from({ length: 20 }, () => agent.session({ cwd: '/srv' }).run('go').result)
    for (const result of await Promise.all(runs)) expect(result).toMatchObject({ reason: 'error', text: 'Half a sen' })
  })

  it('ends with what has changed when a tool gives something else', async () => {
    const { jsonl } = await record()
    const changed = echoTool('Echo', {
      run: async () => ({ content: [{ type: 'text', text: 'echo: two' }], isError: false }),
    })
    const { result } = await play({ ...options(await replay(jsonl)), tools: [changed] })
    expect(result.reason).toBe('error')
    expect(result.error?.message).toMatch(/in message 3\.\n {2}recorded: .*echo: one.*\n {2}sent: .*echo: two/)
  })
})
