import type { ChildProcess } from 'node:child_process'
import { killTree } from './process-windows.js'

/** For so long, surely, no new process has the number of one that is gone. */
const NUMBER_IS_FREE_MS = 20

/** The process group of a child that was started `detached`; on Windows the tree of its descendants. */
export class ProcessGroup {
  readonly #child: ChildProcess
  readonly #platform: string
  #goneSince = 0

  constructor(child: ChildProcess, platform: string) {
    this.#child = child
    this.#platform = platform
    child.once('exit', () => {
      this.#goneSince = performance.now()
    })
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
    if (!this.#isStranger(pid)) reaches(-pid, signal)
  }

  /** No process gets the number of a group that exists. If one has it after the leader is gone, the group is not ours. */
  #isStranger(pid: number): boolean {
    if (!this.leaderIsGone || performance.now() - this.#goneSince < NUMBER_IS_FREE_MS) return false
    return reaches(pid, 0)
  }
}

function reaches(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch (error) {
    // ESRCH: there is no such process or group. EPERM: there is, but it is someone else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
