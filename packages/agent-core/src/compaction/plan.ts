import type { Message } from '@ext/kernel/contract'
import { messagesTokens, messageTokens } from './estimate.js'
import { shortenMessages } from './shorten.js'

/** What becomes of a conversation. */
export interface CompactionPlan {
  /** To be put into a summary; may be empty. */
  readonly summarized: readonly Message[]
  /** Stays, with its longest texts cut if it is longer than may be kept. */
  readonly kept: readonly Message[]
  readonly isCut: boolean
}

export interface PlanOptions {
  /** Newest turns to keep word for word, as far as they fit. */
  readonly keepTurns: number
  /** What the kept messages may have together. */
  readonly keepTokens: number
}

const CHARACTERS_PER_TOKEN = 4
/** A summary of less would be as long as what it stands for. */
const WORTH_TOKENS = 100

/**
 * Says which messages stay: the newest turns that fit, and at least the newest one. A call is never parted from its result.
 * `undefined` when nothing would become shorter.
 */
export function planCompaction(
  messages: readonly Message[],
  { keepTurns, keepTokens }: PlanOptions,
): CompactionPlan | undefined {
  let start = messages.length
  let tokens = 0
  let turns = 0
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]
    if (!message) break
    tokens += messageTokens(message)
    // Results stand behind their calls, so what stays can't begin with them.
    if (message.role === 'tool') continue
    const isFirst = start === messages.length
    if (!isFirst && (tokens > keepTokens || turns >= keepTurns)) break
    start = index
    if (message.role === 'assistant') turns++
  }
  const summarized = messages.slice(0, start)
  const whole = messages.slice(start)
  const kept = messagesTokens(whole) > keepTokens ? shortenMessages(whole, keepTokens * CHARACTERS_PER_TOKEN) : whole
  const isCut = kept.some((message, index) => message !== whole[index])
  return messagesTokens(summarized) < WORTH_TOKENS && !isCut ? undefined : { summarized, kept, isCut }
}
