import type { ClockPort } from '@ext/kernel/types'

/** How long work that waits for nothing may keep everybody else waiting. */
const TURN_MS = 10

/** Gives others their turn now and then. */
export function createTurns(clock: ClockPort): { pass(): Promise<void> } {
  let since = clock.now()
  return {
    async pass() {
      if (clock.now() - since < TURN_MS) return
      await new Promise<void>((resolve) => clock.after(0, resolve))
      since = clock.now()
    },
  }
}
