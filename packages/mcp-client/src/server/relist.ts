import { messageOf } from '@ext/kernel'
import type { ClockPort } from '@ext/kernel/types'
import { type Listed, listTools } from '../connect/list.js'
import type { Session } from '../connect/session.js'
import { seconds } from '../explain/words.js'
import { Deadline } from './deadline.js'

/** Servers often announce one change many times. */
const QUIET_MS = 200
/** One that never stops announcing is heard every so often all the same. */
const MAX_WAIT_MS = 2000
/** However short a time a list is said to hold, nobody is asked for it more often. */
const MIN_FRESH_MS = 30_000

export interface RelistHost {
  readonly clock: ClockPort
  listMs(): number
  session(): Session | undefined
  /** Whether the server tells when its tools change. */
  tells(): boolean
  /** What has to be known before a list is taken over. */
  prepare(listed: Listed): Promise<void>
  relisted(listed: Listed): void
  /** @param why the rest of a sentence about the server */
  failed(why: string): void
}

/** Reads the list of tools again when a server says that it is different: soon, once for many announcements, one at a time. */
export class Relist {
  readonly #host: RelistHost
  #cancelTimer = () => {}
  #waitingSince: number | undefined
  #running = false
  /** Until when the list holds, as the server says. */
  #freshUntil = Number.POSITIVE_INFINITY

  constructor(host: RelistHost) {
    this.#host = host
  }

  announced(): void {
    const { clock } = this.#host
    const now = clock.now()
    this.#waitingSince ??= now
    if (this.#running) return
    this.#cancelTimer()
    const wait = Math.max(0, Math.min(QUIET_MS, this.#waitingSince + MAX_WAIT_MS - now))
    this.#cancelTimer = clock.after(wait, () => void this.#read())
  }

  /**
   * Somebody looks at the list: where the server says for how long it holds and announces nothing, it is read again once
   * that time is over. Whoever looks now gets the old one.
   */
  wanted(): void {
    const { clock, tells } = this.#host
    if (clock.now() < this.#freshUntil || this.#waitingSince !== undefined || this.#running || tells()) return
    this.announced()
  }

  /**
   * The server is up: what was announced while it was connected to may be missing in its list.
   * @param freshMs see `Listed`
   */
  up(freshMs: number | undefined): void {
    this.#holdFor(freshMs)
    if (this.#waitingSince !== undefined) this.announced()
  }

  /** What was announced is of no interest any more. */
  rest(): void {
    this.#cancelTimer()
    this.#waitingSince = undefined
    this.#freshUntil = Number.POSITIVE_INFINITY
  }

  #holdFor(freshMs: number | undefined): void {
    const { clock } = this.#host
    this.#freshUntil = freshMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + Math.max(freshMs, MIN_FRESH_MS)
  }

  async #read(): Promise<void> {
    const { clock, session: up, listMs, prepare, relisted, failed } = this.#host
    const session = up()
    if (!session) return
    this.#waitingSince = undefined
    this.#running = true
    const deadline = new Deadline(clock, { idleMs: listMs() })
    try {
      const listed = await listTools(session, deadline.signal)
      await prepare(listed)
      if (up() !== session) return
      this.#holdFor(listed.freshMs)
      relisted(listed)
    } catch (error) {
      if (this.#freshUntil !== Number.POSITIVE_INFINITY) this.#holdFor(MIN_FRESH_MS)
      if (up() === session) failed(deadline.timedOut ? `gave none within ${seconds(listMs())}` : messageOf(error))
    } finally {
      deadline.end()
      this.#running = false
      if (this.#waitingSince !== undefined) this.announced()
    }
  }
}
