import { setTimeout } from 'node:timers/promises'

/** A lock that is nobody's: its process was killed. */
const STALE_MS = 10_000
/** Longer than it takes a lock to be nobody's. */
const WAIT_MS = 12_000
const PAUSE_MS = 50

/** Where the lock of a file is. */
export function lockPath(file: string): string {
  return `${file}.lock`
}

/**
 * Waits until no other process holds the lock of the file, which need not exist; its folder must. A process that stands
 * still for ten seconds loses it without being told, so look once more before anything that can't be undone.
 * @returns the function that lets go of it and never rejects
 * @throws the error of the file system; `code` ELOCKED when the lock was held all the time
 */
export async function acquire(file: string): Promise<() => Promise<void>> {
  const { lock } = await import('proper-lockfile')
  const end = performance.now() + WAIT_MS
  for (;;) {
    try {
      const release = await lock(file, {
        lockfilePath: lockPath(file),
        realpath: false,
        stale: STALE_MS,
        onCompromised: () => {},
      })
      return () => release().catch(() => undefined)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED' || performance.now() > end) throw error
      await setTimeout(PAUSE_MS * Math.random())
    }
  }
}
