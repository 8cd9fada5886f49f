import type { SessionRef } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { AskedBy } from '../asked.js'

export interface Asking<T, L> {
  readonly clock: ClockPort
  readonly server: string
  readonly session?: SessionRef | undefined
  /** The server does not want the answer any more. */
  readonly signal: AbortSignal
  readonly withinMs: number
  /** The answer if there is none in time. */
  readonly late: L
  readonly work: (by: AskedBy) => Promise<T>
}

/** Has a function of the program ask. Whatever that does, this is over when the time is up or nobody wants to know. */
export async function ask<T, L>({
  clock,
  server,
  session,
  signal,
  withinMs,
  late,
  work,
}: Asking<T, L>): Promise<T | L> {
  signal.throwIfAborted()
  const controller = new AbortController()
  let cancelTimer = () => {}
  let forward = () => {}
  const over = new Promise<L>((resolve, reject) => {
    forward = () => {
      controller.abort(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', forward, { once: true })
    cancelTimer = clock.after(withinMs, () => {
      controller.abort(new DOMException('Nobody answered in time.', 'TimeoutError'))
      resolve(late)
    })
  })
  try {
    return await Promise.race([work({ server, ...(session ? { session } : {}), signal: controller.signal }), over])
  } finally {
    cancelTimer()
    signal.removeEventListener('abort', forward)
  }
}
