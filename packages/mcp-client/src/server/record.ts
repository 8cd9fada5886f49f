import type { Diagnostic } from '@ext/kernel'
import type { Seen } from '../connect/session.js'
import { listStale, logRefused, misbehaviour, serverBack, serverDown } from '../explain/diagnostics.js'
import type { Downfall } from '../explain/trouble.js'
import type { ToolOwner } from '../registry/tools.js'
import { isComing, isUp, type Life } from './state.js'

/** What there is to say about the life of a server; it does not grow, however often something happens. */
export class ServerRecord {
  /** Why it is not up. */
  #down: Downfall | undefined
  #lastLoss: Downfall | undefined
  #losses = 0
  #listProblem: string | undefined
  #logProblem: string | undefined

  up(): void {
    this.#down = undefined
    this.#logProblem = undefined
    this.#listProblem = undefined
  }

  down(downfall: Downfall): void {
    this.#down = downfall
    if (downfall.step !== 'ready') return
    this.#lastLoss = downfall
    this.#losses++
  }

  listed(): void {
    this.#listProblem = undefined
  }

  /** @param why the rest of a sentence about the server */
  listFailed(why: string): void {
    this.#listProblem = why
  }

  /** The end of what it wrote to stderr before it went down, if it is down. */
  get lastWords(): string {
    return this.#down?.stderrTail ?? ''
  }

  /** @param why the rest of a sentence about the server */
  logRefused(why: string): void {
    this.#logProblem = why
  }

  diagnostics(owner: ToolOwner, life: Life, seen: Seen | undefined): readonly Diagnostic[] {
    const found = seen ? [...misbehaviour(owner, seen)] : []
    if (life.state === 'closed') return found
    if (this.#down) found.push(serverDown(owner, this.#down, isComing(life)))
    else if (this.#lastLoss) found.push(serverBack(owner, this.#lastLoss, this.#losses))
    if (this.#listProblem !== undefined && isUp(life)) found.push(listStale(owner, this.#listProblem))
    if (this.#logProblem !== undefined) found.push(logRefused(owner, this.#logProblem))
    return found
  }
}
