import type { ChildProcess } from 'node:child_process'

/** Sends a signal to the whole process group of a child that was started `detached`. */
export function killGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    // Windows has no process groups; there only the child itself is ended.
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // ESRCH: the group is already gone.
  }
}
