import { describe, expect, it } from 'vitest'
import type { AgentDefinition, ExtensionSession, PromptExpansion } from '../../src/types.js'
import { ofType, play, scripted } from '../kit.js'

const reviewer: AgentDefinition = {
  name: 'reviewer',
  description: 'Reviews.',
  prompt: 'Review.',
  model: 'child',
  skills: ['style', 'gone'],
}

async function reviewed(session: ExtensionSession | undefined) {
  const child = scripted({ say: 'fine' })
  const { events } = await play({
    model: scripted({ calls: [{ tool: 'agent', input: { type: 'reviewer', prompt: 'go' } }] }, { say: 'done' }),
    models: () => child,
    agents: [reviewer],
    extensions: [{ session: () => ({}) }, ...(session ? [{ session: () => session }] : [])],
  })
  return {
    first: child.requests[0]?.messages,
    notices: ofType(events, 'notice').map(({ by, text }) => `${by}: ${text}`),
  }
}

describe('the skills of a sub-agent', () => {
  it('are there before its first turn; one that is not is named', async () => {
    const expand = async ({ name }: { readonly name: string }): Promise<PromptExpansion> =>
      name === 'style'
        ? { context: [{ by: 'skill style', text: 'Use short words.' }] }
        : { problem: { by: `skill ${name}`, text: 'There is no such skill.' } }
    expect(await reviewed({ expand })).toEqual({
      first: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'go' },
            { type: 'text', text: 'Use short words.' },
          ],
        },
      ],
      notices: ['skill gone: The sub-agent begins without it: There is no such skill.'],
    })
  })

  it('that nobody loads, or that fail, do not keep it from its work', async () => {
    expect((await reviewed(undefined)).notices).toEqual([
      'skill style: The sub-agent begins without it: Nothing here loads skills.',
      'skill gone: The sub-agent begins without it: Nothing here loads skills.',
    ])
    const expand = async () => {
      throw new Error('disk gone')
    }
    expect((await reviewed({ expand })).notices).toContain('skill style: The sub-agent begins without it: disk gone')
  })
})
