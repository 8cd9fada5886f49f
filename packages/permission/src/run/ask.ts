import { type ClockPort, messageOf } from '@ext/kernel'
import type { Question, UserPort } from '../types.js'

/** How a question ended. */
export type Answer = { readonly waitMs: number } & (
  | { readonly by: 'user'; readonly behavior: 'allow' | 'deny'; readonly reason?: string }
  | { readonly by: 'timeout' }
  | { readonly by: 'failure'; readonly message: string }
)

export interface AskOptions {
  readonly user: UserPort
  readonly clock: ClockPort
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/**
 * Asks the user. The first of answer, time and abort claims the question, in one synchronous step; whatever comes later
 * counts for nothing, and the port's signal says so.
 */
export function ask(question: Question, { user, clock, timeoutMs, signal }: AskOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const shown = clock.now()
    const over = new AbortController()
    let open = true
    const claim = (): boolean => {
      if (!open) return false
      open = false
      cancelTimer()
      signal?.removeEventListener('abort', abort)
      return true
    }
    const wait = () => ({ waitMs: clock.now() - shown })
    const abort = () => {
      if (!claim()) return
      over.abort(signal?.reason)
      reject(signal?.reason)
    }
    const cancelTimer = clock.after(timeoutMs, () => {
      if (!claim()) return
      over.abort(new DOMException('The question was open for too long.', 'TimeoutError'))
      resolve({ by: 'timeout', ...wait() })
    })
    signal?.addEventListener('abort', abort)
    const fail = (error: unknown) => {
      if (claim()) resolve({ by: 'failure', message: messageOf(error), ...wait() })
    }
    // The port is foreign code: it may throw before it returns a promise, and answer with anything.
    new Promise<unknown>((answered) => answered(user.ask(question, { signal: over.signal }))).then((answer) => {
      const read = readAnswer(answer)
      if (!read) return fail(new Error('its answer is neither allow nor deny'))
      if (claim()) resolve({ by: 'user', ...read, ...wait() })
    }, fail)
  })
}

function readAnswer(answer: unknown): { behavior: 'allow' | 'deny'; reason?: string } | undefined {
  if (typeof answer !== 'object' || answer === null || !('behavior' in answer)) return undefined
  const { behavior } = answer
  if (behavior !== 'allow' && behavior !== 'deny') return undefined
  return 'reason' in answer && typeof answer.reason === 'string' && answer.reason !== ''
    ? { behavior, reason: answer.reason }
    : { behavior }
}
