import type { Agent, Model } from '@ext/agent-core/types'
import type { ContentBlock, Message } from '@ext/kernel/contract'
import type { SamplingMessage, SamplingPort } from '@ext/mcp-client/types'
import type { ServerPerson } from './person.js'

type KnownModel = Pick<Model, 'id' | 'limits'>

/** Has the model of the run think for servers, within its budget and once the person has agreed. Without a run there is none. */
export function samplingWith(person: ServerPerson, agent: () => Agent | undefined): SamplingPort {
  return {
    async create(request, by) {
      const current = agent()
      if (!current) throw new Error('no run is under way, so there is no model')
      const { server, session, signal } = by
      const order = {
        by: `server ${server}`,
        ...(session ? { session } : {}),
        async request(model: KnownModel) {
          const messages = request.messages.map((message) => toMessage(message, model))
          if (messages.at(-1)?.role === 'assistant')
            throw new Error('a conversation that ends with the model is not sent')
          if (!(await person.consents(request, by))) return undefined
          return { system: request.systemPrompt ?? '', messages, tools: [], maxOutputTokens: request.maxTokens }
        },
      }
      const outcome = await current.sample(order, { signal })
      switch (outcome.status) {
        case 'declined':
          return undefined
        case 'refused':
          return { refused: outcome.problem }
        case 'failed':
          throw new Error(outcome.problem)
        case 'done': {
          const { text, model, cut } = outcome
          const stop = cut === 'length' ? { stopReason: 'maxTokens' } : {}
          return { content: [{ type: 'text', text }], model, ...stop }
        }
      }
    },
  }
}

function toMessage({ role, content }: SamplingMessage, { id, limits }: KnownModel): Message {
  const blocks = content.map((block): ContentBlock => {
    if (block.type === 'text') return block
    if (block.type === 'image' && limits?.images) return block
    if (block.type === 'audio' && limits?.audio) return block
    throw new Error(`${id} takes no content of the type ${block.type}`)
  })
  if (role === 'user') return { role, content: blocks }
  return { role, text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n'), calls: [] }
}
