import type { EventResult } from '@ext/kernel/contract'

/** A hook that has refused the end so often has nothing new to say. */
const MAX_REFUSALS = 8

/** Sees to it that hooks can't refuse the end of a run for ever. */
export class StopCap {
  #inARow = 0
  #reason: string | undefined
  #worked = false

  /** The model calls a tool: what a hook has asked for may be under way. */
  sawCall(): void {
    this.#worked = true
  }

  reset(): void {
    this.#inARow = 0
    this.#reason = undefined
  }

  /** Passes on what the hooks of Stop or SubagentStop say, but for a refusal too many, which is told to the user instead. */
  check(result: EventResult): EventResult {
    const { block, ...rest } = result
    if (!block) {
      this.reset()
      return result
    }
    const end = this.#endAfter(block.reason)
    if (end === undefined) return result
    this.reset()
    return { ...rest, notices: [...result.notices, { by: block.by, text: `${end}, so the run ends: ${block.reason}` }] }
  }

  /** Why the refusal does not count. */
  #endAfter(reason: string): string | undefined {
    if (this.#inARow === MAX_REFUSALS) return `refused the end ${MAX_REFUSALS} times in a row`
    if (reason === this.#reason && !this.#worked) {
      return 'refused the end again for the same reason, and nothing was done in between'
    }
    this.#inARow++
    this.#reason = reason
    this.#worked = false
    return undefined
  }
}
