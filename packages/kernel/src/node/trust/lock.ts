/** A lock that is nobody's: its process was killed. */
const STALE_MS = 10_000
/** About 15 s in all, longer than it takes a lock to be nobody's. */
const RETRIES = { retries: 80, factor: 1.3, minTimeout: 10, maxTimeout: 200, randomize: true }

/** A lock that is held. */
export interface Lock {
  /** Somebody else has taken it, because this process stood still for too long. */
  readonly isLost: boolean
  release(): Promise<void>
}

/** Where the lock of a file is. */
export function lockPath(file: string): string {
  return `${file}.lock`
}

/**
 * Waits until no other process holds the lock of the file, which need not exist; its folder must.
 * @throws the error of the file system; `code` ELOCKED when the lock was held all the time
 */
export async function acquire(file: string): Promise<Lock> {
  const { lock } = await import('proper-lockfile')
  let isLost = false
  const release = await lock(file, {
    lockfilePath: lockPath(file),
    realpath: false,
    stale: STALE_MS,
    retries: RETRIES,
    onCompromised: () => {
      isLost = true
    },
  })
  return {
    get isLost() {
      return isLost
    },
    release: () => release().catch(() => undefined),
  }
}
