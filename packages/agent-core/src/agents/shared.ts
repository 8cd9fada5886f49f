import type { AgentOrder, Message } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import type { RunContext } from '../run-context.js'

const RECENT_MESSAGES = 20
const RECENT_TOKENS = 8000
const CHARACTERS_PER_TOKEN = 4

/** The part of a conversation that somebody who works for a hook or a skill sees. */
export function sharedWith(
  { messages }: Pick<RunContext['session'], 'messages'>,
  share: NonNullable<AgentOrder['context']>,
): readonly Message[] {
  if (share === 'none') return []
  const over = finished(messages)
  return share === 'full' ? over : recent(over)
}

/** A turn that is under way has calls without a result, so it is not in it. */
export function finished(messages: readonly Message[]): readonly Message[] {
  return messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : [...messages]
}

/** The newest whole messages that fit. A result whose call is left out is left out as well. */
function recent(messages: readonly Message[]): readonly Message[] {
  let start = messages.length
  let room = RECENT_TOKENS * CHARACTERS_PER_TOKEN
  while (start > 0 && messages.length - start < RECENT_MESSAGES) {
    room -= JSON.stringify(messages[start - 1]).length
    if (room < 0) break
    start--
  }
  while (messages[start]?.role === 'tool') start++
  const kept = messages.slice(start)
  // Many models want a person to speak first.
  return kept[0]?.role === 'assistant' ? [LEFT_OUT, ...kept] : kept
}

const LEFT_OUT: Message = Object.freeze({
  role: 'user',
  content: Object.freeze([textBlock('[What came before is left out.]')]),
})
