import type { ClockPort } from '@ext/kernel/types'
import type { KeepAlive } from '../config/entry.js'
import { Fault, type Session } from '../connect/session.js'
import { silent } from '../explain/trouble.js'
import { Deadline } from './deadline.js'

/** Pings without an answer, in a row, after which a server counts as gone. */
const MAX_SILENCES = 2
/** Where the configuration wants no regular pings, and a call gives reason for one. */
const CHECK_MS = 10_000

export interface HealthHost {
  readonly clock: ClockPort
  keepAlive(): KeepAlive | undefined
  /** Whether calls are under way: they have limits of their own, and some servers do one thing at a time. */
  busy(): boolean
  /** It did not answer so many pings in a row. */
  silent(pings: number, timeoutMs: number): void
  /** After a silence it answers again. */
  answers(): void
  /** The server counts as gone. */
  gone(session: Session, fault: Fault): void
}

/** Finds out whether a server that says nothing is still there. */
export class Health {
  readonly #host: HealthHost
  #session: Session | undefined
  #cancelTick = () => {}
  /** Something has come from the server since the last look. */
  #heard = false
  /** It did not answer the last ping. */
  #isSilent = false
  #checking: Promise<void> | undefined

  constructor(host: HealthHost) {
    this.#host = host
  }

  /** Begins to look after a session that is up, instead of another one. */
  watch(session: Session): void {
    this.#session = session
    this.#checking = undefined
    this.#isSilent = false
    this.#schedule()
  }

  /** No session is up. */
  rest(): void {
    this.#session = undefined
    this.#checking = undefined
    this.#cancelTick()
  }

  /** The server has answered something. */
  heard(): void {
    this.#heard = true
  }

  /** How often it is asked has changed. */
  retime(): void {
    if (this.#session) this.#schedule()
  }

  /** There is reason to doubt that the server is there. All who ask at a time share one look. Never rejects. */
  check(session: Session): Promise<void> {
    if (session !== this.#session) return Promise.resolve()
    this.#checking ??= this.#ask(session).finally(() => {
      if (this.#session === session) this.#checking = undefined
    })
    return this.#checking
  }

  #schedule(): void {
    this.#cancelTick()
    this.#heard = false
    const keepAlive = this.#host.keepAlive()
    if (keepAlive) {
      // Nobody waits for this one: it must not keep a program alive that is done.
      this.#cancelTick = this.#host.clock.after(keepAlive.intervalMs, () => void this.#tick(), { background: true })
    }
  }

  async #tick(): Promise<void> {
    const session = this.#session
    if (session && !this.#heard && !this.#host.busy()) await this.check(session)
    if (this.#session === session) this.#schedule()
  }

  async #ask(session: Session): Promise<void> {
    const timeoutMs = this.#host.keepAlive()?.timeoutMs ?? CHECK_MS
    for (let pings = 1; pings <= MAX_SILENCES; pings++) {
      const answer = await this.#ping(session, timeoutMs)
      if (this.#session !== session) return
      if (answer === 'answered') return this.#answered()
      if (answer instanceof Fault) return this.#host.gone(session, answer)
      if (pings === MAX_SILENCES) break
      this.#isSilent = true
      this.#host.silent(pings, timeoutMs)
    }
    const { cause, hint } = silent(MAX_SILENCES, timeoutMs)
    this.#host.gone(session, new Fault('network', cause, { hint }))
  }

  /** Only what its silence has brought about is over: calls can fail all the same. */
  #answered(): void {
    const wasSilent = this.#isSilent
    this.#isSilent = false
    if (wasSilent) this.#host.answers()
  }

  async #ping(session: Session, timeoutMs: number): Promise<'answered' | 'silent' | Fault> {
    const deadline = new Deadline(this.#host.clock, { idleMs: timeoutMs, background: true })
    try {
      await session.ping(deadline.signal)
      return 'answered'
    } catch (error) {
      if (deadline.timedOut) return 'silent'
      // A server that refuses pings, or answers them badly, is there.
      return error instanceof Fault && (error.kind === 'network' || error.needsAuth) ? error : 'answered'
    } finally {
      deadline.end()
    }
  }
}
