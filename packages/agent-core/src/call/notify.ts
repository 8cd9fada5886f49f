import type { Decision } from '@ext/kernel/contract'
import { fire, sayBlockIgnored } from '../lifecycle.js'
import type { RunContext } from '../run-context.js'
import type { Attempt } from './attempt.js'

/** Longest time that hooks may take to fetch somebody to a question. */
const NOTIFY_MS = 5000

/** A Notification that is under way. */
export interface Notice {
  readonly done: Promise<void>
  abort(reason: unknown): void
}

/** A person is asked, and hooks may fetch one. `done` rejects only when the engine behind the steps fails. */
export function notify(run: RunContext, { call, at, tool }: Attempt, { reason }: Pick<Decision, 'reason'>): Notice {
  const { clock } = run.agent
  const controller = new AbortController()
  const { signal } = controller
  const cancel = clock.after(NOTIFY_MS, () => controller.abort(`they took longer than ${NOTIFY_MS} ms`))
  const notification = { notification_type: 'permission_prompt', message: reason, title: tool.name } as const
  const tell = async () => {
    try {
      const told = await fire(run, 'Notification', () => notification, { signal, place: at.place, callId: call.id })
      sayBlockIgnored(run, told, 'it only tells')
    } catch (error) {
      if (!signal.aborted) throw error
      run.emit('notice', { text: `Notification: the hooks were ended: ${signal.reason}` })
    } finally {
      cancel()
    }
  }
  return { done: tell(), abort: (why) => controller.abort(why) }
}
