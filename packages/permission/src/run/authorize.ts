import type { ClockPort } from '@ext/kernel'
import type { Attributed, Authorization, AuthorizeRequest, Opinion, SessionRef, TraceStep } from '@ext/kernel/contract'
import type { PermissionCode } from '../codes.js'
import type { Ruling } from '../decide/decide.js'
import type { UserPort } from '../types.js'
import { type Answer, ask } from './ask.js'

export interface Asking {
  readonly session: SessionRef
  readonly user: UserPort | undefined
  readonly clock: ClockPort
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** From a ruling to its end: asks if it has to be asked. Rejects only when the signal aborts. */
export async function settle(
  request: AuthorizeRequest,
  { decision, overruled, unasked }: Ruling,
  opinion: Opinion | undefined,
  { session, user, clock, timeoutMs, signal }: Asking,
): Promise<Authorization> {
  const notices = overruled && opinion ? [overruledNotice(opinion, overruled)] : []
  const { reason, modelReason } = decision
  if (decision.behavior !== 'ask') {
    return {
      behavior: decision.behavior,
      decision,
      answeredBy: unasked ? 'nobody' : 'rules',
      reason,
      modelReason,
      waitMs: 0,
      notices,
    }
  }
  const denied = (
    answeredBy: Authorization['answeredBy'],
    why: string,
    waitMs: number,
    more: readonly Attributed[] = [],
  ) => ({
    behavior: 'deny' as const,
    decision,
    answeredBy,
    reason: `${reason} ${why}`,
    modelReason: `${why} ${modelReason}`,
    waitMs,
    notices: [...notices, ...more],
  })
  if (!user) return denied('nobody', 'Nobody can be asked.', 0)
  const { call, tool } = request
  const answer = await ask({ call, tool, decision, session }, { user, clock, timeoutMs, ...(signal ? { signal } : {}) })
  const { waitMs } = answer
  switch (answer.by) {
    case 'user': {
      const why = `The user said ${answer.behavior === 'allow' ? 'yes' : 'no'}${answer.reason ? `: ${answer.reason}` : ''}.`
      if (answer.behavior === 'deny') return denied('user', why, waitMs)
      return {
        behavior: 'allow',
        decision,
        answeredBy: 'user',
        reason: `${reason} ${why}`,
        modelReason: `${tool.name} may run. ${why}`,
        waitMs,
        notices,
      }
    }
    case 'timeout':
      return denied('timeout', `Nobody answered within ${timeoutMs} ms.`, waitMs)
    case 'failure':
      return denied('nobody', 'The question could not be answered.', waitMs, [failureNotice(answer)])
  }
}

function overruledNotice({ by, reason }: Opinion, step: TraceStep): Attributed {
  return {
    by,
    text: notice(
      'permission.hook.allow-overruled',
      `${by} allowed the call${reason ? ` (${reason})` : ''}, which does not count: ${step.reason}`,
    ),
  }
}

function failureNotice({ message }: Extract<Answer, { by: 'failure' }>): Attributed {
  return { by: 'user port', text: notice('permission.user.failed', `Asking the user failed: ${message}.`) }
}

function notice(code: PermissionCode, text: string): string {
  return `${code}: ${text}`
}
