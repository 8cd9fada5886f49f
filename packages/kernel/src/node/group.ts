import type { ChildProcess } from 'node:child_process'
import { killTree } from './process-windows.js'

/** The process group of a child that was started `detached`; on Windows the tree of its descendants. */
export class ProcessGroup {
  readonly #child: ChildProcess
  readonly #platform: string

  constructor(child: ChildProcess, platform: string) {
    this.#child = child
    this.#platform = platform
  }

  /** The child itself; others of its group can live on. */
  get leaderIsGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child
    if (pid === undefined) return
    if (this.#platform === 'win32') {
      if (!this.leaderIsGone) killTree(this.#child)
      return
    }
    // No process gets the number of a group that exists: if one has it, the group is gone and that is a stranger.
    if (this.leaderIsGone && signalReaches(pid, 0)) return
    signalReaches(-pid, signal)
  }
}

function signalReaches(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch (error) {
    // ESRCH: there is no such process or group. EPERM: there is, but it is someone else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
