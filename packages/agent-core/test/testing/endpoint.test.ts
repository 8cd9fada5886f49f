import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { describe, expect, it } from 'vitest'
import { aiSdkModel } from '../../src/ai-sdk/index.js'
import { scriptedEndpoint } from '../../src/testing/index.js'
import { echoTool, play } from '../kit.js'

const script = {
  turns: [
    { calls: [{ tool: 'Echo', input: { text: 'one' } }] },
    { when: { tool: 'Echo', contains: 'echo: one' }, say: 'Done.' },
  ],
}

describe('an endpoint of a script', () => {
  it('stands in for fetch, without a server: anthropic', async () => {
    const { fetch, requests } = scriptedEndpoint(script, { wire: 'anthropic' })
    const model = createAnthropic({ apiKey: 'k', baseURL: 'https://models.example/v1', fetch })('claude-sonnet-5-5')
    const { result } = await play({ model: aiSdkModel(model), tools: [echoTool()] })
    expect(result).toMatchObject({ reason: 'done', text: 'Done.' })
    expect(requests).toMatchObject([
      {
        url: 'https://models.example/v1/messages',
        headers: { 'x-api-key': 'k' },
        body: { model: 'claude-sonnet-5-5' },
      },
      {},
    ])
  })

  it('answers OpenAI’s own provider for chats as well', async () => {
    const { fetch, requests } = scriptedEndpoint(script, { wire: 'openai' })
    const model = createOpenAI({ apiKey: 'k', baseURL: 'https://models.example/v1', fetch }).chat('gpt')
    const { result } = await play({ model: aiSdkModel(model), tools: [echoTool()] })
    expect(result).toMatchObject({ reason: 'done', text: 'Done.' })
    expect(requests[0]).toMatchObject({ url: 'https://models.example/v1/chat/completions' })
  })

  it.each(['anthropic', 'openai'] as const)('refuses what the provider would refuse: %s', async (wire) => {
    const { fetch } = scriptedEndpoint(script, { wire })
    const ask = async (body: string) => {
      const response = await fetch('https://models.example/v1', { method: 'POST', body })
      return [response.status, JSON.stringify(await response.json())]
    }
    expect(await ask('no JSON')).toEqual([400, expect.stringContaining('no JSON object')])
    expect((await ask('{"max_tokens": 1, "messages": []}'))[0]).toBe(400)
    const orphan = { role: 'assistant', content: [{ type: 'text', text: ' ' }], tool_calls: [{ id: 'a' }] }
    expect((await ask(JSON.stringify({ max_tokens: 1, messages: [orphan, { role: 'user', content: 'x' }] })))[0]).toBe(
      400,
    )
  })

  it('says in its answer where a conversation departs from the script', async () => {
    const { fetch } = scriptedEndpoint({ turns: [{ when: { contains: 'this' }, say: 'x' }] }, { wire: 'openai' })
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'that' }] })
    const response = await fetch('https://models.example/v1', { method: 'POST', body })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Turn 1 of the script expects a text that contains')
  })

  it('stays silent until the other side gives up, where the script says so', async () => {
    const silent = { turns: [{ fail: { kind: 'no_answer', message: '' } }] } as const
    const { fetch } = scriptedEndpoint(silent, { wire: 'openai' })
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'x' }] })
    const signal = AbortSignal.timeout(20)
    await expect(fetch('https://models.example/v1', { method: 'POST', body, signal })).rejects.toThrow('timeout')
  })
})
