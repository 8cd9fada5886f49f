import type { ClockPort } from '@ext/kernel'
import type { Attributed, Authorization, AuthorizeRequest, Opinion, SessionRef, TraceStep } from '@ext/kernel/contract'
import type { PermissionCode } from '../codes.js'
import type { Ruling } from '../decide/decide.js'
import type { UserPort } from '../types.js'
import { ask } from './ask.js'

export interface Asking {
  readonly session: SessionRef
  readonly user: UserPort | undefined
  readonly clock: ClockPort
  readonly timeoutMs: number
  /** A managed file can't be used, so nobody knows what it would have forbidden. */
  readonly managedBroken: boolean
  readonly signal?: AbortSignal
}

/** From a ruling to its end: asks if it has to be asked. Rejects only when the signal aborts. */
export async function settle(
  request: AuthorizeRequest,
  { decision, overruled, unasked }: Ruling,
  opinion: Opinion | undefined,
  { session, user, clock, timeoutMs, managedBroken, signal }: Asking,
): Promise<Authorization> {
  const { reason, modelReason } = decision
  const overruling = overruled && opinion ? [overruledNotice(opinion, overruled)] : []
  const base = { decision, reason, modelReason, waitMs: 0, notices: overruling }
  if (decision.behavior !== 'ask') {
    return { ...base, behavior: decision.behavior, answeredBy: unasked ? 'nobody' : 'rules' }
  }
  const denied = { ...base, behavior: 'deny' } as const
  const because = (why: string) => ({ reason: `${reason} ${why}`, modelReason: `${why} ${modelReason}` })
  if (!user) {
    const why = managedBroken ? 'A managed file is broken and nobody can be asked.' : 'Nobody can be asked.'
    return { ...denied, answeredBy: 'nobody', ...because(why) }
  }

  const { call, tool } = request
  const answer = await ask({ call, tool, decision, session }, { user, clock, timeoutMs, ...(signal ? { signal } : {}) })
  const { waitMs } = answer
  switch (answer.by) {
    case 'user': {
      const said = answer.behavior === 'allow' ? 'yes' : 'no'
      const why = `The user said ${said}${answer.reason === undefined ? '' : `: ${answer.reason}`}.`
      return answer.behavior === 'deny'
        ? { ...denied, answeredBy: 'user', waitMs, ...because(why) }
        : {
            ...base,
            behavior: 'allow',
            answeredBy: 'user',
            waitMs,
            ...because(why),
            modelReason: `${tool.name} may run. ${why}`,
          }
    }
    case 'timeout':
      return { ...denied, answeredBy: 'timeout', waitMs, ...because(`Nobody answered within ${timeoutMs} ms.`) }
    case 'failure': {
      const notices = [...overruling, failureNotice(answer.message)]
      return { ...denied, answeredBy: 'nobody', waitMs, notices, ...because('The question could not be answered.') }
    }
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

function failureNotice(message: string): Attributed {
  return { by: 'user port', text: notice('permission.user.failed', `Asking the user failed: ${message}.`) }
}

function notice(code: PermissionCode, text: string): string {
  return `${code}: ${text}`
}
