import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { messageOf } from '../../errors.js'
import { WATCHDOG_SCRIPT } from './script.js'

/** How long news may wait. What is over before costs nothing: a line takes 2% of the time of a short command. */
const NEWS_MS = 50
/** How long the sidecar stays when there is nothing to watch. */
const IDLE_MS = 30_000

/** How children can be found whose start this process did not live to tell of. */
export interface WatchdogOptions {
  /** The end of the marks of all children of this port. */
  readonly host: string
  /** Children have marks that can be looked for. Without, each is told of at once. */
  readonly marks: boolean
  /** Hears, once, what went wrong with the sidecar. */
  readonly report: (message: string) => void
}

/**
 * Keeps a sidecar informed of the children that run, so that it can end them when this process is gone, even by KILL.
 * The sidecar starts with the first child, does not keep this process alive, and goes with it.
 */
export class Watchdog {
  readonly #options: WatchdogOptions
  /** Runs under way, and their groups. */
  readonly #live = new Map<string, number>()
  /** Runs that began, and runs that are over, since the sidecar heard last. */
  readonly #begun = new Set<string>()
  readonly #over = new Set<string>()
  #epoch = 1
  #news: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #sidecar: { readonly child: ChildProcess; readonly pipe: Socket } | undefined
  #state: 'fine' | 'failed' | 'impossible' = 'fine'

  constructor(options: WatchdogOptions) {
    this.#options = options
  }

  /** To be called before a child is started. Returns what its run is called, which is to be part of its mark. */
  name(count: number): string {
    if (!this.#sidecar && this.#state !== 'impossible') this.#start()
    return `${count}.${this.#epoch}`
  }

  /** To be called as soon as it has started. */
  add(run: string, group: number): void {
    this.#live.set(run, group)
    this.#begun.add(run)
    if (!this.#options.marks) this.#tell()
    this.#tellSoon()
  }

  /** To be called once nothing of its group is left. */
  remove(run: string): void {
    if (!this.#live.delete(run)) return
    if (!this.#begun.delete(run)) this.#over.add(run)
    this.#tellSoon()
  }

  #tellSoon(): void {
    clearTimeout(this.#idle)
    this.#news ??= setTimeout(() => {
      this.#news = undefined
      this.#tell()
      if (this.#live.size === 0) this.#idle = setTimeout(() => this.#close(), IDLE_MS).unref()
    }, NEWS_MS).unref()
  }

  #tell(): void {
    const begun = [...this.#begun].map((run) => `+ ${run} ${this.#live.get(run)}\n`)
    const over = [...this.#over].map((run) => `- ${run}\n`)
    this.#begun.clear()
    this.#over.clear()
    this.#epoch++
    // So short that all of it is in the pipe when this returns.
    this.#sidecar?.pipe.write(`${begun.join('')}${over.join('')}> ${this.#epoch}\n`)
  }

  #start(): void {
    let child: ChildProcess
    try {
      child = spawnSidecar(this.#options.host, this.#epoch)
    } catch (error) {
      this.#fail(messageOf(error))
      return
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      this.#fail(messageOf(error), child, error.code === 'ENOENT' || error.code === 'EACCES')
    })
    child.on('exit', (code, signal) => this.#fail(`it ended with ${signal ?? code}`, child))
    const pipe = child.stdin as Socket | undefined
    // A host out of file handles gets no pipe; the `error` event with the reason comes later.
    if (!pipe) return
    pipe.on('error', () => {})
    pipe.unref()
    child.unref()
    this.#sidecar = { child, pipe }
    for (const run of this.#live.keys()) this.#begun.add(run)
    this.#over.clear()
    if (this.#begun.size > 0) this.#tell()
  }

  /** The next child gets a new sidecar, unless there can't be one. */
  #fail(reason: string, child?: ChildProcess, impossible = false): void {
    if (this.#sidecar && this.#sidecar.child !== child) return
    this.#sidecar = undefined
    if (this.#state === 'fine') {
      this.#options.report(`The watchdog failed: ${reason}. Children can outlive this process if it is killed.`)
    }
    this.#state = impossible ? 'impossible' : 'failed'
  }

  #close(): void {
    this.#sidecar?.child.removeAllListeners('exit')
    // Not the end of input alone, which would mean that this process is gone.
    this.#sidecar?.pipe.end('q\n')
    this.#sidecar = undefined
  }
}

function spawnSidecar(host: string, epoch: number): ChildProcess {
  // In a session of its own it gets no signal that is meant for this process or its terminal. It has no mark in its
  // environment, so that an outer host that ends this one does not end it too.
  return spawn('sh', ['-c', WATCHDOG_SCRIPT, 'ext-watchdog', host, String(epoch)], {
    cwd: '/',
    env: { PATH: ['/usr/bin', '/bin', process.env['PATH']].filter(Boolean).join(':') },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
}
