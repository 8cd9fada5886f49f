import type { Model } from '@ext/agent-core/types'
import type { ContentBlock, Message } from '@ext/kernel/contract'
import type { SamplingMessage, SamplingPort } from '@ext/mcp-client/types'
import type { ServerPerson } from './person.js'

/** Has the model of the run think for servers, once the person has agreed. Without a run there is none. */
export function samplingWith(person: ServerPerson, model: () => Model | undefined): SamplingPort {
  return {
    async create(request, by) {
      const current = model()
      if (!current) throw new Error('no run is under way, so there is no model')
      const messages = request.messages.map((message) => toMessage(message, current))
      if (messages.at(-1)?.role === 'assistant') throw new Error('a conversation that ends with the model is not sent')
      if (!(await person.consents(request, by))) return undefined
      let said = ''
      const asked = { system: request.systemPrompt ?? '', messages, tools: [], maxOutputTokens: request.maxTokens }
      for await (const event of current.stream(asked, { signal: by.signal })) {
        if (event.type === 'text') said += event.text
      }
      return { content: [{ type: 'text', text: said }], model: current.id }
    },
  }
}

function toMessage({ role, content }: SamplingMessage, { id, limits }: Model): Message {
  const blocks = content.map((block): ContentBlock => {
    if (block.type === 'text') return block
    if (block.type === 'image' && limits?.images) return block
    if (block.type === 'audio' && limits?.audio) return block
    throw new Error(`${id} takes no content of the type ${block.type}`)
  })
  if (role === 'user') return { role, content: blocks }
  return { role, text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n'), calls: [] }
}
