import type { Reconnect } from '../config/entry.js'
import { backoffMs } from '../govern/repeat.js'
import type { ServerState } from '../types.js'

/** Where a server stands that may be started. Those that may not are `untrusted` or `disabled`, and have no life. */
export interface Life {
  readonly state: Exclude<ServerState, 'untrusted' | 'disabled'>
  readonly since: number
  /** Why it is not ready, as the rest of a sentence. */
  readonly cause?: string
  readonly hint?: string
  readonly retryAt?: number
  /** Attempts to connect in a row, without one that lasted. */
  readonly attempts: number
  /** Nobody tries any more by himself. Holds until it is up again. */
  readonly givenUp: boolean
}

/** Why a server is not, or not quite, there. */
export interface Trouble {
  readonly cause: string
  readonly hint: string
}

/**
 * - `attempt`: it is connected to · `up`: that succeeded
 * - `troubled`: it is connected, and something is wrong with it · `well`: that is over
 * - `down`: an attempt failed, or the connection is gone; `lasted`: it had worked before, so this is no failure in a row ·
 *   `chance`: from 0 to 1, for the wait · `close`: it is not wanted any more
 */
export type LifeEvent =
  | { readonly type: 'attempt' | 'up' | 'well' | 'close' }
  | ({ readonly type: 'troubled' } & Trouble)
  | ({ readonly type: 'down' } & Fall)

/** How a server went down. */
export interface Fall extends Trouble {
  readonly final: boolean
  readonly needsAuth: boolean
  readonly lasted: boolean
  readonly chance: number
}

/** @param lazy it is connected to when somebody wants it */
export function birth(now: number, lazy: boolean): Life {
  return { state: lazy ? 'idle' : 'connecting', since: now, attempts: 0, givenUp: false }
}

/** What comes of an event. The same life, if nothing: `closed` is for good, and only who is up can be troubled. */
export function transition(life: Life, event: LifeEvent, now: number, reconnect: Reconnect): Life {
  const { state, attempts, givenUp } = life
  if (state === 'closed') return life
  switch (event.type) {
    case 'attempt':
      return { state: 'connecting', since: now, attempts: attempts + 1, givenUp, ...why(life) }
    case 'up':
      return { state: 'ready', since: now, attempts, givenUp: false }
    case 'troubled':
      return isUp(life) ? { state: 'degraded', since: now, attempts, givenUp, ...why(event) } : life
    case 'well':
      return state === 'degraded' ? { state: 'ready', since: now, attempts, givenUp } : life
    case 'down':
      return fall(life, event, now, reconnect)
    case 'close':
      return { state: 'closed', since: now, attempts, givenUp }
  }
}

function fall(life: Life, event: Fall, now: number, reconnect: Reconnect): Life {
  const attempts = event.lasted ? 0 : life.attempts
  const down = { since: now, attempts, ...why(event) }
  if (event.needsAuth) return { ...down, state: 'needs_auth', givenUp: true }
  if (event.final || attempts >= reconnect.attempts) return { ...down, state: 'failed', givenUp: true }
  // After one that lasted there is nothing to wait for.
  const wait = attempts === 0 ? 0 : backoffMs(attempts, reconnect, event.chance)
  return { ...down, state: 'failed', givenUp: life.givenUp, retryAt: now + wait }
}

/** While it is connected to again, the reason is still worth knowing. */
function why({ cause, hint }: { readonly cause?: string; readonly hint?: string }): Partial<Trouble> {
  return { ...(cause === undefined ? {} : { cause }), ...(hint === undefined ? {} : { hint }) }
}

export function isUp({ state }: Life): boolean {
  return state === 'ready' || state === 'degraded'
}

/** It is up, or is when somebody wants it. */
export function isAvailable(life: Life): boolean {
  return isUp(life) || life.state === 'idle'
}

/** It is not up, and is connected to now or soon. */
export function isComing({ state, retryAt }: Life): boolean {
  return state === 'connecting' || (state === 'failed' && retryAt !== undefined)
}

/** It is connected to if somebody asks for it: nobody did so far, or it was given up and has rested long enough. */
export function mayTryOnDemand({ state, retryAt, since }: Life, now: number, { attempts, maxMs }: Reconnect): boolean {
  if (state === 'idle') return true
  return state === 'failed' && retryAt === undefined && attempts > 0 && now - since >= maxMs
}
