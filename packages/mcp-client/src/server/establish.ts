import type { ClockPort } from '@ext/kernel/types'
import type { CancelSignal } from '../cancel.js'
import type { Endpoint } from '../compiled.js'
import { type Listed, listTools } from '../connect/list.js'
import type { Greeting, Session } from '../connect/session.js'
import { attemptFailed, type Downfall } from '../explain/trouble.js'
import { Deadline } from './deadline.js'

/** A server that has done everything it takes to be used. */
export interface Established {
  readonly failed?: undefined
  readonly session: Session
  readonly greeting: Greeting
  readonly listed: Listed
}

export interface Failed {
  readonly failed: Downfall
}

export interface EstablishOptions {
  readonly endpoint: Endpoint['kind']
  readonly clock: ClockPort
  /** For the handshake and the list of tools together. */
  readonly connectMs: number
  /** Gives the attempt up. */
  readonly signal: CancelSignal
}

/** Shakes hands and lists the tools. Half a success is a failure; closing what is half open is left to the caller. */
export async function establish(session: Session, options: EstablishOptions): Promise<Established | Failed> {
  const { endpoint, clock, connectMs, signal } = options
  const deadline = new Deadline(clock, { idleMs: connectMs })
  const giveUp = () => deadline.abort()
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  let step: 'initialize' | 'tools/list' = 'initialize'
  try {
    const greeting = await session.open(deadline.signal)
    step = 'tools/list'
    const listed = await listTools(session, deadline.signal)
    return { session, greeting, listed }
  } catch (error) {
    const { seen } = session
    return {
      failed: attemptFailed({ step, endpoint, connectMs, timedOut: deadline.timedOut !== undefined, error, seen }),
    }
  } finally {
    signal.removeEventListener('abort', giveUp)
    deadline.end()
  }
}
