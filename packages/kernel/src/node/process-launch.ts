import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { messageOf } from '../errors.js'
import type { Command, ProcessRequest } from '../types.js'
import { ProcessGroup } from './group.js'
import { killMarked, MARK_VARIABLE } from './process-leftovers.js'
import { spawnOnWindows } from './process-windows.js'
import { Watchdog } from './watchdog/watchdog.js'

export type LaunchRequest = Pick<ProcessRequest, 'command' | 'cwd' | 'env'>

/** A child that was started, and the means to end all that comes of it. */
export interface Launched {
  readonly child: ChildProcessWithoutNullStreams
  signal(signal: 'SIGTERM' | 'SIGKILL'): void
  /**
   * Kills what is left of the group and lets go of the child, even of one that can't be killed.
   * @param leftovers also what left the group
   */
  finish(leftovers: boolean): void
}

/** Starts children so that they can be ended as a whole, by this process or after it. */
export class Launcher {
  readonly #platform: string
  readonly #id = randomUUID()
  readonly #watchdog: Watchdog | undefined
  #count = 0

  constructor(platform: string, report: (message: string) => void) {
    this.#platform = platform
    if (platform === 'win32') return
    this.#watchdog = new Watchdog({ host: this.#id, marks: platform === 'linux', report })
  }

  /** @throws what `spawn` throws for bad arguments, for example a NUL in one of them */
  launch(request: LaunchRequest): Launched {
    const count = ++this.#count
    const run = this.#watchdog?.name(count) ?? String(count)
    const mark = this.#platform === 'linux' ? `${run}-${this.#id}` : undefined
    const child = this.#spawn(request, mark)
    if (child.pid !== undefined) this.#watchdog?.add(run, child.pid)

    const group = new ProcessGroup(child, this.#platform)
    const release = () => {
      group.signal('SIGKILL')
      this.#watchdog?.remove(run)
    }
    return {
      child,
      signal: (signal) => group.signal(signal),
      finish: (leftovers) => {
        if (child.pid === undefined) return
        if (group.leaderIsGone) release()
        else {
          group.signal('SIGKILL')
          child.once('exit', release)
          child.unref()
        }
        if (leftovers && mark !== undefined) killMarked(mark)
      },
    }
  }

  #spawn({ command, cwd, env }: LaunchRequest, mark: string | undefined): ChildProcessWithoutNullStreams {
    const { file, args } = toArgv(command)
    const start = this.#platform === 'win32' && !('shell' in command) ? spawnOnWindows : spawn
    const child = start(file, args, {
      cwd,
      env: mark === undefined ? env : { ...env, [MARK_VARIABLE]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Makes the child the leader of a process group of its own, so that its children can be ended with it.
      detached: this.#platform !== 'win32',
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams
    // A host out of file handles gets a child without pipes; the `error` event with the reason comes later.
    if (!(child.stdin as unknown)) {
      child.on('error', () => {})
      throw new Error('the host has no file handles left')
    }
    // A pipe that breaks ends with its child, which says more about it.
    for (const stream of child.stdio) stream?.on('error', () => {})
    return child
  }
}

/** Calls back with the reason if the child turns out not to run. */
export function onStartFailure(
  child: ChildProcessWithoutNullStreams,
  request: LaunchRequest,
  listener: (message: string) => void,
): void {
  child.on('error', (error: NodeJS.ErrnoException) => {
    // On Windows a missing program is noticed by the exit of the shell that was to run it.
    if (child.pid === undefined || error.code === 'ENOENT') listener(explainStart(error, request))
  })
}

/** Why a child could not be started, for people. */
export function explainStart(error: unknown, { command, cwd }: LaunchRequest): string {
  const { file } = toArgv(command)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `\`${file}\` was not found, or the folder ${cwd} does not exist`
  if (code === 'EACCES') return `\`${file}\` may not be executed`
  if (code === 'ENOTDIR') return `${cwd} is not a folder`
  return messageOf(error)
}

function toArgv(command: Command): { readonly file: string; readonly args: readonly string[] } {
  if (!('shell' in command)) return command
  // Node's pipes are sockets, from which bash concludes that a remote shell runs it, and reads ~/.bashrc.
  const options = command.shell === 'bash' ? ['--noprofile', '--norc'] : []
  return { file: command.shell, args: [...options, '-c', command.script] }
}
