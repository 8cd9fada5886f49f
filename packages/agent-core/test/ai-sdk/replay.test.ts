import { describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/ai-sdk/index.js'
import { loadRecording, recordedModel, replayedModel } from '../../src/replay/index.js'
import type { Script } from '../../src/scripted/index.js'
import type { Model } from '../../src/types.js'
import { journal } from '../journal.js'
import { type AgentSetup, echoTool, ofType, play, setUp } from '../kit.js'
import { answerOf, provided, scriptServer, serve, WIRES } from './server.js'

const script: Script = {
  turns: [
    { think: 'I should echo.', say: 'First.', calls: [{ tool: 'Echo', input: { text: 'one' } }] },
    { calls: [{ tool: 'Echo', input: '{"text": ' }], usage: { inputTokens: 9, outputTokens: 1 } },
    { say: 'Half a sen', fail: { kind: 'overloaded', message: 'Busy.' } },
  ],
}

const options = (model: Model): AgentSetup => ({ model, tools: [echoTool()] })

describe.each(WIRES)('a run against an endpoint: %s', (wire) => {
  it('is the same run when it is recorded and replayed without the endpoint', async () => {
    const { model, requests } = await scriptServer(script, wire)
    const { clock } = await setUp({ model: aiSdkModel(model) })
    let jsonl = ''
    const recorded = recordedModel(aiSdkModel(model), {
      clock,
      write: (line) => {
        jsonl += line
      },
      onError: (error) => {
        throw error
      },
    })
    const { events } = await play(options(recorded))
    await recorded.written()
    const asked = requests.length
    expect(asked).toBe(3)
    expect(ofType(events, 'reasoning').length).toBeGreaterThan(0)
    expect(ofType(events, 'result')).toMatchObject([{ error: { kind: 'overloaded' }, text: 'Half a sen' }])

    const { value, diagnostics } = await loadRecording(jsonl, { file: 'real.jsonl' })
    if (!value) throw new Error('It can’t be read.')
    expect(diagnostics).toEqual([])
    // Signs of life are none of what was said.
    expect(jsonl).not.toContain('"working"')
    const again = await play(options(replayedModel(value)))
    expect(again.events).toEqual(events)
    expect(requests).toHaveLength(asked)
  })

  it('is the same run when a durable engine plays it again, with what the model wants back', async () => {
    const whole: Script = { turns: [...script.turns.slice(0, 2), { say: 'Done.' }] }
    const { model, requests } = await scriptServer(whole, wire)
    const engine = journal()
    const first = await setUp(options(aiSdkModel(model)))
    const result = await first.session.run('go', { durable: engine.open() }).result
    expect(result).toMatchObject({ reason: 'done', text: 'Done.' })
    const gone = aiSdkModel(provided(wire, await serve(answerOf(500, {}))), {
      id: aiSdkModel(model).id,
    })
    const second = await setUp(options(gone))
    expect(await second.session.run('go', { durable: engine.open() }).result).toEqual(result)
    expect(second.session.messages).toEqual(first.session.messages)
    expect(second.session.messages[1]).toHaveProperty('meta')
    expect(requests).toHaveLength(3)
  })
})
