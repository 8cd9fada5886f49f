import type { ClockPort } from '@ext/kernel/types'

/** Resolves when `done` does, or when the time is up. */
export async function within(clock: ClockPort, ms: number, done: Promise<unknown>): Promise<void> {
  let cancel = () => {}
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([done, timeUp])
  cancel()
}
