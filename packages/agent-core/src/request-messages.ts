import type { Message } from '@ext/kernel/contract'

/**
 * A list of so many messages is copied in about a microsecond. One of twice as many is a large object for V8, whose memory
 * is mapped anew for every copy, and that takes longer than everything else in a turn.
 */
const MOST_COPIED = 8192

/** The list of a long conversation that its requests share. */
export interface SharedMessages {
  readonly list: Message[]
  /** How many of them are the conversation's. What stands behind them was for one request. */
  kept: number
  length: number
}

/**
 * The messages of one request. The conversation itself is never handed out: a model may do with its list what it likes. A
 * long list goes on into the next request, unless it is not what it was any more.
 * @param more only for this request
 */
export function requestMessages(
  session: { readonly messages: readonly Message[]; shared?: SharedMessages | undefined },
  more: readonly Message[],
): readonly Message[] {
  const { messages } = session
  if (messages.length <= MOST_COPIED) {
    session.shared = undefined
    return [...messages, ...more]
  }
  const before = session.shared
  const shared =
    before && isIntact(before, messages) ? before : { list: [...messages], kept: messages.length, length: 0 }
  const { list } = shared
  list.length = shared.kept
  for (let index = shared.kept; index < messages.length; index++) list.push(messages[index] as Message)
  list.push(...more)
  shared.kept = messages.length
  shared.length = list.length
  session.shared = shared
  return list
}

/** Whether it still is the beginning of the conversation, as far as its ends tell: a compaction begins it anew. */
function isIntact({ list, kept, length }: SharedMessages, messages: readonly Message[]): boolean {
  return (
    list.length === length &&
    kept <= messages.length &&
    list[0] === messages[0] &&
    list[kept - 1] === messages[kept - 1]
  )
}
