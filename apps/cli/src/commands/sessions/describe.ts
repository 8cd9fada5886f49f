import type { KeptSession, SessionEvent } from '@ext/agent-core/types'
import type { ContentBlock, Message } from '@ext/kernel/contract'

/** Something that was said or done, in the order in which it was. */
export interface Entry {
  readonly who: 'user' | 'model' | 'call' | 'result' | 'error' | 'summary'
  /** Of a call or a result: the tool. */
  readonly tool?: string
  readonly text: string
}

/** What a log says to people. The whole history: what a summary stands for is there as well. */
export function entriesOf({ events }: Pick<KeptSession, 'events'>): readonly Entry[] {
  return events.flatMap(entriesOfEvent)
}

function entriesOfEvent(event: SessionEvent): readonly Entry[] {
  switch (event.type) {
    case 'message':
      return entriesOfMessage(event.message)
    case 'result':
      return entriesOfMessage({ role: 'tool', results: [event.result] })
    case 'compact':
      return event.messages.slice(0, 1).map((message) => ({ who: 'summary', text: textsOf(message) }))
    default:
      return []
  }
}

function entriesOfMessage(message: Message): readonly Entry[] {
  switch (message.role) {
    case 'user':
      return [{ who: 'user', text: textsOf(message) }]
    case 'assistant':
      return [
        ...(message.text === '' ? [] : [{ who: 'model', text: message.text } as const]),
        ...message.calls.map(({ name, input }) => ({ who: 'call', tool: name, text: JSON.stringify(input) }) as const),
      ]
    case 'tool':
      return message.results.map(({ name, isError, content }) => ({
        who: isError ? 'error' : 'result',
        tool: name,
        text: content.map(describeBlock).join('\n'),
      }))
  }
}

function textsOf(message: Message): string {
  return message.role === 'user' ? message.content.map(describeBlock).join('\n') : ''
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}]`
    case 'resource':
      return block.resource.text ?? `[${block.resource.uri}]`
    case 'resource_link':
      return `[${block.uri}]`
  }
}
