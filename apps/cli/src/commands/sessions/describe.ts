import type { SessionEvent } from '@ext/agent-core/types'
import type { ContentBlock, Message } from '@ext/kernel/contract'
import type { SubAgentLog, WholeSession } from './sub-agents.js'

/** Something that was said or done, in the order in which it was. */
export interface Entry {
  readonly who: 'user' | 'model' | 'call' | 'result' | 'error' | 'summary' | 'agent' | 'handoff'
  /** Of a call or a result: the tool. */
  readonly tool?: string
  /** The sub-agent in which it was, with those above it. */
  readonly agent?: string
  readonly text: string
}

/**
 * What a log says to people. The whole history: what a summary stands for is there as well, and what sub-agents did where
 * they began.
 */
export function entriesOf({ events, agents }: Pick<WholeSession, 'events' | 'agents'>): readonly Entry[] {
  return events.flatMap((event) =>
    event.type === 'sub_agent' ? entriesOfAgent(event.name, event.log, agents.get(event.log)) : entriesOfEvent(event),
  )
}

function entriesOfAgent(name: string, log: string, found: SubAgentLog | undefined): readonly Entry[] {
  const begin = (text: string): Entry => ({ who: 'agent', agent: name, text })
  if (!found?.session) return [begin(`its log can’t be read: ${found?.problem ?? log}`)]
  const inside = entriesOf(found.session).map((entry) => ({
    ...entry,
    agent: entry.agent === undefined ? name : `${name} › ${entry.agent}`,
  }))
  return [begin(`begins, its log is ${log}`), ...inside]
}

function entriesOfEvent(event: SessionEvent): readonly Entry[] {
  switch (event.type) {
    case 'message':
      return entriesOfMessage(event.message)
    case 'result':
      return entriesOfMessage({ role: 'tool', results: [event.result] })
    case 'handoff':
      return [{ who: 'handoff', text: `to ${event.to}${event.reason === undefined ? '' : `: ${event.reason}`}` }]
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
