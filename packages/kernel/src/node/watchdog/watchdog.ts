import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { messageOf } from '../../errors.js'
import { WATCHDOG_SCRIPT } from './script.js'

/** How long the sidecar stays when there is nothing to watch. */
const IDLE_MS = 30_000

/**
 * Keeps a sidecar informed of the children that run, so that it can end them when this process is gone, even by KILL.
 * The sidecar starts with the first child, does not keep this process alive, and goes with it.
 */
export class Watchdog {
  readonly #host: string
  readonly #report: (message: string) => void
  /** The last line sent about each run: a sidecar that replaces another one needs to know. */
  readonly #live = new Map<number, string>()
  #sidecar: { readonly child: ChildProcess; readonly pipe: Socket } | undefined
  #idle: NodeJS.Timeout | undefined
  #state: 'fine' | 'failed' | 'impossible' = 'fine'

  /** @param report hears, once, what went wrong with the sidecar */
  constructor(host: string, report: (message: string) => void) {
    this.#host = host
    this.#report = report
  }

  /** To be called before the child is started: this process can be killed in the middle of that. */
  announce(run: number): void {
    clearTimeout(this.#idle)
    if (!this.#sidecar && this.#state !== 'impossible') this.#start()
    this.#tell(run, `+ ${run}\n`)
  }

  started(run: number, group: number): void {
    this.#tell(run, `+ ${run} ${group}\n`)
  }

  ended(run: number): void {
    if (!this.#live.delete(run)) return
    this.#sidecar?.pipe.write(`- ${run}\n`)
    if (this.#live.size === 0) this.#idle = setTimeout(() => this.#close(), IDLE_MS).unref()
  }

  /** Lines are short: they are in the pipe when the write returns. */
  #tell(run: number, line: string): void {
    this.#live.set(run, line)
    this.#sidecar?.pipe.write(line)
  }

  #start(): void {
    // In a session of its own it gets no signal that is meant for this process or its terminal. It has no mark in its
    // environment, so that an outer host that ends this one does not end it too.
    const child = spawn('sh', ['-c', WATCHDOG_SCRIPT, 'ext-watchdog', this.#host], {
      cwd: '/',
      env: { PATH: ['/usr/bin', '/bin', process.env['PATH']].filter(Boolean).join(':') },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      this.#lose(child, messageOf(error), error.code === 'ENOENT' || error.code === 'EACCES')
    })
    child.on('exit', (code, signal) => this.#lose(child, `it ended with ${signal ?? code}`))
    const pipe = child.stdin as Socket | undefined
    // A host out of file handles gets no pipe; the `error` event with the reason comes later.
    if (!pipe) return
    pipe.on('error', () => {})
    pipe.unref()
    child.unref()
    this.#sidecar = { child, pipe }
    for (const line of this.#live.values()) pipe.write(line)
  }

  /** The next child gets a new sidecar, unless there can't be one. */
  #lose(child: ChildProcess, reason: string, impossible = false): void {
    if (this.#sidecar && this.#sidecar.child !== child) return
    this.#sidecar = undefined
    if (this.#state === 'fine') {
      this.#report(`The watchdog failed: ${reason}. Children can outlive this process if it is killed.`)
    }
    this.#state = impossible ? 'impossible' : 'failed'
  }

  #close(): void {
    this.#sidecar?.child.removeAllListeners('exit')
    this.#sidecar?.pipe.end()
    this.#sidecar = undefined
  }
}
