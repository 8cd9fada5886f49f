import { createOpenAI } from '@ai-sdk/openai'
import { describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/ai-sdk/index.js'
import { echoTool, ofType, play } from '../kit.js'
import { KEY, serve, streamOf } from './server.js'

const response = { id: 'resp_1', object: 'response', created_at: 1_800_000_000, model: 'gpt-5.2', output: [] }
const created = { type: 'response.created', response: { ...response, status: 'in_progress' } }
const completed = {
  type: 'response.completed',
  response: {
    ...response,
    status: 'completed',
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 80 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
    },
  },
}
const item = (output_index: number, start: object, between: readonly object[], done: object) => [
  { type: 'response.output_item.added', output_index, item: start },
  ...between,
  { type: 'response.output_item.done', output_index, item: done },
]
const thought = item(
  0,
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
  [
    { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', summary_index: 0, delta: 'I should echo.' },
  ],
  {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'I should echo.' }],
    encrypted_content: 'sealed',
  },
)
const call = item(
  1,
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'Echo', arguments: '' },
  [
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{"text":' },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '"one"}' },
  ],
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'Echo',
    arguments: '{"text":"one"}',
    status: 'completed',
  },
)
const text = item(
  0,
  { type: 'message', id: 'msg_1' },
  [{ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Done.' }],
  { type: 'message', id: 'msg_1' },
)

describe('OpenAI’s responses, which its own provider speaks', () => {
  it('are a task like any other: call, result, thoughts that are handed back, tokens', async () => {
    const bodies: Record<string, unknown>[] = []
    const base = await serve((request, answer) => {
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      request.on('end', () => {
        bodies.push(JSON.parse(body) as Record<string, unknown>)
        const turn = bodies.length === 1 ? [...thought, ...call] : text
        streamOf([created, ...turn, completed])(request, answer)
      })
    })
    const model = createOpenAI({ apiKey: KEY, baseURL: base })('gpt-5.2')
    const settings = { providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } } }
    const { result, events } = await play({ model: aiSdkModel(model, { settings }), tools: [echoTool()] })
    expect(result).toMatchObject({ reason: 'done', text: 'Done.' })
    expect(ofType(events, 'tool_result')).toMatchObject([{ content: [{ text: 'echo: one' }] }])
    expect(ofType(events, 'reasoning').map((event) => event.text)).toEqual(['I should echo.'])
    expect(ofType(events, 'model_end')[0]).toMatchObject({ input_tokens: 100, output_tokens: 9, cache_read_tokens: 80 })
    expect(bodies[0]?.['tools']).toMatchObject([{ type: 'function', name: 'Echo', strict: false }])
    expect(bodies[1]?.['input']).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed' },
      { type: 'function_call', call_id: 'call_1', name: 'Echo', arguments: '{"text":"one"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'echo: one' },
    ])
  })

  it('that break off in the middle run no call', async () => {
    const echo = echoTool()
    const base = await serve(streamOf([created, ...thought, ...call.slice(0, 2)]))
    const model = createOpenAI({ apiKey: KEY, baseURL: base })('gpt-5.2')
    const { result, events } = await play({ model: aiSdkModel(model), tools: [echo], limits: { modelRetries: 0 } })
    expect(result).toMatchObject({ reason: 'error' })
    expect(ofType(events, 'tool_call')).toEqual([])
    expect(echo.ran).toEqual([])
  })

  it('may hold an error', async () => {
    const error = {
      type: 'error',
      sequence_number: 1,
      error: { type: 'server_error', code: 'server_error', message: 'Busy.', param: null },
    }
    const base = await serve(streamOf([created, error]))
    const model = createOpenAI({ apiKey: KEY, baseURL: base })('gpt-5.2')
    const { result } = await play({ model: aiSdkModel(model), limits: { modelRetries: 0 } })
    expect(result).toMatchObject({
      reason: 'error',
      error: { kind: 'overloaded', message: 'The model failed: HTTP 500: Busy.' },
    })
  })
})
