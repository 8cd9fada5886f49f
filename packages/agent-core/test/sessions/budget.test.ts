import type { Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Model } from '../../src/types.js'
import { CWD, echoTool, never, settle, setUp } from '../kit.js'
import { killed, store, temporaryFolder } from './kit.js'

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
