import { readdirSync, readFileSync } from 'node:fs'

/** The variable that marks the children of one run, and so all their descendants. */
export const MARK_VARIABLE = 'EXT_RUN_ID'

/** New processes can appear while the others are ended. */
const MAX_PASSES = 5

/**
 * Kills what left the process group of a run (`setsid`, a daemon) but still has its mark. Linux only: it reads /proc,
 * some 15 µs a process of the machine.
 */
export function killMarked(mark: string): void {
  const killed = new Set<number>()
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const found = withMark(mark).filter((pid) => !killed.has(pid))
    if (found.length === 0) return
    for (const pid of found) {
      killed.add(pid)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It went by itself, or became another user's.
      }
    }
  }
}

function withMark(mark: string): readonly number[] {
  const entry = `${MARK_VARIABLE}=${mark}\0`
  return processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(entry)
    } catch {
      return false
    }
  })
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
