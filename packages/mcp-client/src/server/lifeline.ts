import { messageOf } from '@ext/kernel'
import type { TraceContext } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import { Cancel, type CancelSignal } from '../cancel.js'
import type { CompiledServer } from '../compiled.js'
import type { KeepAlive } from '../config/entry.js'
import type { Listed } from '../connect/list.js'
import type { Fault, Patience, Session } from '../connect/session.js'
import { connectionLost, type Downfall, silent } from '../explain/trouble.js'
import { type Established, establish, type Failed } from './establish.js'
import { Health } from './health.js'
import type { LiveSpan } from './span.js'
import { birth, isComing, isUp, type Life, type LifeEvent, mayTryOnDemand, transition } from './state.js'

/** A server that was up for so long has proved that it works, also without a call. */
const LASTING_MS = 10_000

export interface LifeHost {
  readonly clock: ClockPort
  /** Random, from 0 to 1. */
  chance(): number
  /** Starts the server. A throw is a failed attempt. */
  start(): Session
  /** Draws an attempt. @param within the span of the call that waits for it, if there is one */
  draw(within: TraceContext | undefined): LiveSpan | undefined
  /** How a session is ended that is not needed any more. */
  readonly patience: Patience
  settings(): Pick<CompiledServer, 'connectMs' | 'reconnect'> & {
    readonly kind: 'stdio' | 'http'
    readonly keepAlive?: KeepAlive
  }
  /** Between success and `up`: what else has to be known before tools can be offered. */
  prepare(listed: Listed): Promise<void>
  /** It is up. What comes of it has to be in place when this returns. */
  up(established: Established): void
  down(downfall: Downfall): void
  /** A text that can hold words of the server, as people may see it. */
  shown(text: string): string
  /** Whether calls were sent that are not answered yet. */
  busy(): boolean
  changed(): void
}

/** Starts a server, looks after it, starts it again when it is lost, and ends it. One attempt at a time, for all who wait. */
export class Lifeline {
  /** Resolves once it has been up or has failed. */
  readonly settled: Promise<void>
  readonly #host: LifeHost
  readonly #health: Health
  readonly #after: Promise<void> | undefined
  readonly #closing = new Cancel()
  /** Hear of every change of state. */
  readonly #waiters = new Set<() => void>()
  /** Where the calls stand that wait for it. */
  readonly #traces = new Set<TraceContext>()
  #life: Life
  /** The one that is up, or the one of the attempt. */
  #session: Session | undefined
  #upAt = 0
  #connectMs: number | undefined
  #hasAnswered = false
  #hasSettled = false
  /** The end of the session before; a server is never there twice. */
  #ending: Promise<void>
  #cancelRetry = () => {}
  #settle = () => {}

  /**
   * @param lazy see `birth`
   * @param after what has to be over before the first attempt
   */
  constructor(host: LifeHost, lazy: boolean, after?: Promise<void>) {
    this.#host = host
    this.#after = after
    this.#life = birth(host.clock.now(), lazy)
    this.settled = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.#health = new Health({
      clock: host.clock,
      keepAlive: () => host.settings().keepAlive,
      busy: host.busy,
      silent: (pings, timeoutMs) => this.#apply({ type: 'troubled', ...silent(pings, timeoutMs) }),
      answers: () => this.#apply({ type: 'well' }),
      gone: (session, fault) => this.lost(session, fault),
    })
    this.#ending = after ?? Promise.resolve()
  }

  /** The first attempt. Does nothing when somebody has brought it about already. */
  begin(): void {
    const { state, attempts } = this.#life
    if (attempts === 0 && (state === 'connecting' || state === 'idle')) void this.#attempt(this.#after)
  }

  /** Leaves it idle: all that is asked of it now is known. */
  rest(): void {
    if (this.#life.state !== 'idle') return
    this.#setSettled()
    this.#host.changed()
  }

  get hasSettled(): boolean {
    return this.#hasSettled
  }

  get life(): Life {
    return this.#life
  }

  /** How long the last attempt took, whatever came of it. */
  get connectMs(): number | undefined {
    return this.#connectMs
  }

  /** The session that calls go to, if it is up. */
  get session(): Session | undefined {
    return isUp(this.#life) ? this.#session : undefined
  }

  /** What was seen of it most recently. */
  get seen(): Session['seen'] | undefined {
    return this.#session?.seen
  }

  /**
   * The session, once it is up; `undefined` once nobody tries any more. Asking starts one that has rested long enough.
   * @param trace where an attempt stands that is made meanwhile
   * @throws the signal's reason when it aborts
   */
  async whenUp(signal: CancelSignal, trace?: TraceContext): Promise<Session | undefined> {
    if (trace) this.#traces.add(trace)
    try {
      this.wake()
      while (!this.session && isComing(this.#life)) await this.#change(signal)
      return this.session
    } finally {
      if (trace) this.#traces.delete(trace)
    }
  }

  /** Somebody wants the server: it is started if it is idle, and tried once more if it was given up and has rested. */
  wake(): void {
    const { clock, settings } = this.#host
    if (mayTryOnDemand(this.#life, clock.now(), settings().reconnect)) void this.#attempt(this.#ending)
  }

  /** The server has answered a call. */
  heard(): void {
    this.#hasAnswered = true
    this.#health.heard()
  }

  /** A call found that the connection is not there: either that holds for all of them, or it was a mishap. Never rejects. */
  doubt(session: Session): Promise<void> {
    return this.#health.check(session)
  }

  trouble(cause: string, hint: string): void {
    this.#apply({ type: 'troubled', cause, hint })
  }

  well(): void {
    this.#apply({ type: 'well' })
  }

  /** How long it may take, and how often it is asked, are different now. */
  retime(): void {
    this.#health.retime()
  }

  /** The session is over for everybody. Nothing happens if it is not the one that is up. */
  lost(session: Session, error?: Fault): void {
    if (session !== this.session) return
    this.#fall(connectionLost(this.#host.settings().kind, error, session.seen))
  }

  /** Ends it for good. Resolves once nothing of it is left; calling again with less patience hurries it. */
  async close(patience?: Patience): Promise<void> {
    const session = this.#session
    this.#apply({ type: 'close' })
    this.#closing.abort()
    this.#cancelRetry()
    this.#health.rest()
    await Promise.all([this.#ending, session?.close(patience)])
  }

  async #attempt(after: Promise<void> | undefined): Promise<void> {
    this.#cancelRetry()
    this.#apply({ type: 'attempt' })
    if (after) await after
    const signal = this.#closing
    if (signal.aborted) return
    const [first] = this.#traces
    const drawn = this.#host.draw(first)
    try {
      const established = await this.#connect(signal)
      drawn?.end(signal.aborted ? 'aborted' : established.failed?.kind)
      if (signal.aborted) return
      if (established.failed) this.#fall(established.failed)
      else this.#rise(established)
    } catch (error) {
      drawn?.end(signal.aborted ? 'aborted' : 'start')
      if (!signal.aborted) this.#fall(neverStarted(error))
    }
  }

  async #connect(signal: CancelSignal): Promise<Established | Failed> {
    const { clock, start, settings, prepare } = this.#host
    const { kind: endpoint, connectMs } = settings()
    const since = clock.now()
    const session = start()
    this.#session = session
    const result = await establish(session, { endpoint, clock, connectMs, signal })
    if (!result.failed) await prepare(result.listed)
    this.#connectMs = clock.now() - since
    return result
  }

  #rise(established: Established): void {
    const { session } = established
    this.#upAt = this.#host.clock.now()
    this.#hasAnswered = false
    this.#host.up(established)
    this.#health.watch(session)
    this.#apply({ type: 'up' })
    void session.closed.then(() => this.lost(session))
  }

  #fall(found: Downfall): void {
    const { clock, chance, down, shown } = this.#host
    const downfall = { ...found, cause: shown(found.cause) }
    const lasted = isUp(this.#life) && (this.#hasAnswered || clock.now() - this.#upAt >= LASTING_MS)
    this.#health.rest()
    this.#ending = this.#endSession()
    down(downfall)
    this.#apply({ type: 'down', ...downfall, lasted, chance: chance() })
    const { retryAt } = this.#life
    if (retryAt === undefined) return
    const wait = Math.max(0, retryAt - clock.now())
    const again = () => void this.#attempt(this.#ending)
    // Whoever waits for the server has a limit of its own, which keeps the program alive.
    this.#cancelRetry = clock.after(wait, again, { background: true })
  }

  /** What is half open is ended too, and the next attempt waits for that. */
  async #endSession(): Promise<void> {
    const session = this.#session
    if (!session) return
    // Requests that die of the same cause first get to say it, and whether they had an effect.
    await new Promise<void>((resolve) => this.#host.clock.after(0, resolve))
    await session.close(this.#host.patience)
  }

  #apply(event: LifeEvent): void {
    const { clock, settings, changed } = this.#host
    const next = transition(this.#life, event, clock.now(), settings().reconnect)
    if (next === this.#life) return
    this.#life = next
    if (next.state !== 'connecting') this.#setSettled()
    changed()
    for (const tell of [...this.#waiters]) tell()
  }

  #setSettled(): void {
    this.#hasSettled = true
    this.#settle()
  }

  #change(signal: CancelSignal): Promise<void> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(tell)
        signal.removeEventListener('abort', abort)
      }
      const tell = () => {
        leave()
        resolve()
      }
      const abort = () => {
        leave()
        reject(signal.reason)
      }
      this.#waiters.add(tell)
      signal.addEventListener('abort', abort, { once: true })
    })
  }
}

function neverStarted(error: unknown): Downfall {
  const cause = `could not be started: ${messageOf(error)}`
  const hint = 'This is a fault of the client, not of the server; please report it.'
  return { step: 'initialize', kind: 'network', cause, hint, final: true, needsAuth: false, stderrTail: '' }
}
