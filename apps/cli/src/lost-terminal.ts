import { closeSync, fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * Node sets the terminal back that it was started at, and aborts with a core dump if that can't be done, as where its window was
 * closed. What is no terminal any more is closed before, so that the exit code tells what has happened.
 */
export function leaveLostTerminal(): void {
  for (const fd of [0, 1, 2]) {
    try {
      if (fstatSync(fd).isCharacterDevice() && !isatty(fd)) closeSync(fd)
    } catch {
      // There is none.
    }
  }
}
