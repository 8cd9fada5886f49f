import type { ToolProgress, ToolResult, TraceContext } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { Caller } from '../caller.js'
import type { CancelSignal } from '../cancel.js'
import { Fault, type Session, type SessionCallOptions } from '../connect/session.js'
import { callFailed, callTimedOut, notBack, refused, unavailable } from '../explain/calls.js'
import type { Governor } from '../govern/governor.js'
import { backoffMs, MAX_SENDS } from '../govern/repeat.js'
import type { Deadline } from './deadline.js'
import type { Lifeline } from './lifeline.js'
import { type Asked, endAnswered, endFailed, type LiveSpan } from './span.js'
import type { CallTrack } from './track.js'

/** Before a call that may be repeated is sent again. */
const REPEAT = { minMs: 100, maxMs: 2000 }

/** What a call gets from its server. */
export interface CallHost {
  readonly server: string
  readonly clock: ClockPort
  readonly lifeline: Lifeline
  readonly governor: Governor
  /** Random, from 0 to 1. */
  chance(): number
  /**
   * The server refuses to do anything before a person has been at these pages. Resolves once they have; `false` if they
   * have not, or will not.
   */
  visited(pages: unknown, options: { readonly signal: CancelSignal }): Promise<boolean>
  /** Begins the span of one request. Absent: nobody draws. */
  readonly draw?: (asked: Asked, within: TraceContext | undefined) => LiveSpan
}

export interface Call {
  /** What is drawn. Absent: nothing. */
  readonly asked?: Asked
  /** For whom. */
  readonly caller: Caller
  /** Sends it, as often as that is called. */
  readonly ask: (session: Session, options: SessionCallOptions) => Promise<unknown>
  /** Why it is not to be sent any more, if that is so: only a server that is up can tell. */
  readonly refusal?: () => ToolResult | undefined
  /** It may be sent again although the server may have done what it asks for. */
  readonly repeatable: boolean
  /** What can be done about a server that says no. */
  readonly hint: string
  /** From the last sign of life on, whether the call waits or runs. */
  readonly callMs: number
  readonly totalMs: number
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined
  readonly track: CallTrack
}

/** The error by which a server asks for a person to go to a page first (MCP 2025-11-25, "URL Mode Elicitation"). */
const PAGES_REQUIRED = -32042

type Doing = 'connect' | 'turn' | 'call'

/** What came of it: what the server sent, which nobody has looked at yet, or why there is nothing. */
export type CallOutcome =
  | { readonly sent: unknown; readonly failed?: undefined }
  | { readonly sent?: undefined; readonly failed: ToolResult }

/**
 * One call, from waiting for the server to its answer. Sends again what surely had no effect, once, and what may be
 * repeated, a few times; never anything else. Rejects for a fault of the program only.
 * @param deadline gives it up, by time or because somebody aborts it
 */
export async function runCall(host: CallHost, call: Call, deadline: Deadline): Promise<CallOutcome> {
  const { server, clock, lifeline, governor } = host
  const { signal } = deadline
  let doing: Doing = 'connect'
  let repairs = 0
  let visits = 0
  let sends = 0
  try {
    for (;;) {
      doing = 'connect'
      const session = lifeline.session ?? (await lifeline.whenUp(signal, call.caller.trace))
      if (!session) return { failed: unavailable(server, lifeline.life, clock.now()) }
      const refusal = call.refusal?.()
      if (refusal) return { failed: refusal }
      doing = 'turn'
      const turn = await governor.enter({ withinMs: deadline.leftMs, signal })
      if (turn.refused) return { failed: refused(server, turn) }
      // It may have gone while the call waited for its turn.
      if (session !== lifeline.session) {
        turn.end('unknown')
        continue
      }
      doing = 'call'
      sends++
      const answer = await send(host, session, call, deadline)
      if ('sent' in answer) {
        turn.end('good')
        lifeline.heard()
        return { sent: answer.sent }
      }
      const { error } = answer
      try {
        signal.throwIfAborted()
        if (isUnreachable(error)) await orAborted(lifeline.doubt(session), signal)
      } finally {
        turn.end(healthAfter(error, session === lifeline.session, deadline))
      }
      if (error instanceof Fault && error.needsAuth) lifeline.lost(session, error)
      // By its own word it has not done anything yet.
      if (pagesOf(error) && visits++ === 0 && (await visited(host, error, deadline))) continue
      const unsent = isUnreachable(error) && error.effect === 'none' && repairs++ === 0
      const again = isUnreachable(error) && call.repeatable && sends < MAX_SENDS
      if (!unsent && !again) return { failed: callFailed(server, error, session.seen, call.hint) }
      if (!unsent) await pause(clock, backoffMs(sends, REPEAT, host.chance()), signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    return { failed: givenUp(host, call, doing, deadline) }
  }
}

async function send(
  { draw }: CallHost,
  session: Session,
  { ask, asked, caller, onProgress, track }: Call,
  deadline: Deadline,
): Promise<{ readonly sent: unknown } | { readonly error: unknown }> {
  deadline.touch()
  track.sent()
  const span = asked && draw?.(asked, caller.trace)
  const trace = span?.trace ?? caller.trace
  try {
    const sent = await ask(session, {
      signal: deadline.signal,
      // Always asked for, since it also tells a server that works from one that hangs.
      onProgress: (progress) => {
        deadline.touch()
        onProgress?.(progress)
      },
      onAsked: () => deadline.pause(),
      ...(span ? { onId: (id) => span.set({ 'jsonrpc.request.id': String(id) }) } : {}),
      trace,
      session: caller.session,
    })
    if (span && asked) endAnswered(span, asked, sent)
    return { sent }
  } catch (error) {
    if (span) endFailed(span, error, deadline.signal.aborted ? (deadline.timedOut ? 'timeout' : 'aborted') : undefined)
    return { error }
  } finally {
    track.answered()
  }
}

function pagesOf(error: unknown): error is Fault {
  return error instanceof Fault && error.refusal?.code === PAGES_REQUIRED
}

async function visited(host: CallHost, { refusal }: Fault, deadline: Deadline): Promise<boolean> {
  const resume = deadline.pause()
  const went = await host.visited(refusal?.data, { signal: deadline.signal }).finally(resume)
  deadline.signal.throwIfAborted()
  return went
}

function isUnreachable(error: unknown): error is Fault {
  return error instanceof Fault && error.kind === 'network' && !error.needsAuth
}

/** A server that is gone is started again or given up, which is counted there; one that says no is well. */
function healthAfter(error: unknown, isStillUp: boolean, deadline: Deadline): 'good' | 'bad' | 'unknown' {
  if (deadline.signal.aborted) return deadline.timedOut ? 'bad' : 'unknown'
  if (!isStillUp) return 'unknown'
  return error instanceof Fault && error.kind === 'remote' ? 'good' : 'bad'
}

function givenUp({ server, lifeline, clock }: CallHost, call: Call, doing: Doing, deadline: Deadline): ToolResult {
  const { timedOut } = deadline
  if (!timedOut) return unavailable(server, lifeline.life, clock.now())
  const ms = timedOut === 'idle' ? call.callMs : call.totalMs
  switch (doing) {
    case 'connect':
      return notBack(server, lifeline.life, ms)
    case 'turn':
      return refused(server, { refused: 'concurrency' })
    case 'call':
      return callTimedOut(server, timedOut, ms)
  }
}

function pause(clock: ClockPort, ms: number, signal: CancelSignal): Promise<void> {
  let cancel = () => {}
  const over = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  return orAborted(over, signal).finally(cancel)
}

/** Resolves when that does. @throws the signal's reason when it aborts before */
function orAborted(done: Promise<void>, signal: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    void done.then(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })
}
