import type { Message, ToolMessageResult } from '@ext/kernel/contract'
import type { SessionState } from '../run-context.js'
import type { SessionEventFields } from './log.js'

/** Puts a message behind the conversation, and into the log of the session. */
export function addMessage(
  session: Pick<SessionState, 'messages' | 'journal'>,
  message: Message,
  more: Omit<SessionEventFields['message'], 'message'> = {},
): void {
  session.messages.push(message)
  session.journal?.write('message', { message, ...more })
}

/** Puts the results of all calls of a turn behind the conversation. The log has had each of them when it came. */
export function addResults({ messages }: Pick<SessionState, 'messages'>, results: readonly ToolMessageResult[]): void {
  messages.push(Object.freeze({ role: 'tool', results: Object.freeze(results) }))
}
