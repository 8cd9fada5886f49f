import { ExtError } from '@ext/kernel'
import type { Compaction } from '../types.js'

/** Throws `agent-core.compaction` for a share or a number of turns that is none. */
export function checkCompaction(compaction: Compaction = {}): Compaction {
  const { at = 1, keepTurns = 0 } = compaction
  const isShare = typeof at === 'number' && at > 0 && (at <= 1 || at === Number.POSITIVE_INFINITY)
  if (!isShare) {
    const message = `\`compaction.at\` must be a share above 0 and up to 1, or Infinity for never; it is ${at}.`
    throw new ExtError('agent-core.compaction', message)
  }
  if (!Number.isSafeInteger(keepTurns) || keepTurns < 0) {
    const message = `\`compaction.keepTurns\` must be a whole number from 0 up; it is ${keepTurns}.`
    throw new ExtError('agent-core.compaction', message)
  }
  return Object.freeze({ ...compaction })
}
