import { createReporter, type Diagnostic, messageOf } from '@ext/kernel'
import type { JsonObject, Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import type { ClockPort, SnapshotEntry } from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import { type Listed, listTools } from './connect/list.js'
import type { Connection } from './connect/port.js'
import { callFailed, callTimedOut, connectFailed, connectionLost, misbehaviour, unavailable } from './explain.js'
import { readTools, type ToolOwner } from './registry/tools.js'
import { toResult } from './results/read.js'
import type { CompiledServer, Launch, ServerState, ServerStatus } from './types.js'

const report = createReporter(diagnosticCodes)

export interface ServerHost {
  readonly clock: ClockPort
  connect(launch: Launch): Connection
  /** The state or the tools of a server are different now. */
  changed(): void
}

/** Something that is waited for, with a time limit of its own. */
interface Attempt {
  readonly signal: AbortSignal
  readonly timedOut: boolean
  /** @param reason the server may get to read it */
  abort(reason: string): void
  end(): void
}

/** One server from its start to its end. Nothing that it does rejects or reaches its siblings. */
export class Server {
  readonly owner: ToolOwner
  /** Resolves when the server is ready or has failed. */
  readonly settled: Promise<void>
  readonly #config: CompiledServer
  readonly #host: ServerHost
  readonly #connection: Connection
  /** The connect, and every call. */
  readonly #pending = new Set<Attempt>()
  #state: ServerState = 'connecting'
  #since: number
  #cause: string | undefined
  #tools: readonly Tool[] = []
  #diagnostics: readonly Diagnostic[] = []

  constructor(entry: SnapshotEntry<CompiledServer>, host: ServerHost) {
    this.#config = entry.value
    this.owner = { name: entry.name, trusted: entry.value.trusted, entry: entry.id, place: entry.at() }
    this.#host = host
    this.#since = host.clock.now()
    this.#connection = host.connect(entry.value.launch())
    this.settled = this.#connect()
    void this.#connection.closed.then(() => {
      if (this.#state !== 'ready') return
      const cause = this.#connection.seen.end ?? 'ended'
      this.#fail(cause, connectionLost(this.owner, cause, this.#connection.seen))
    })
  }

  get name(): string {
    return this.owner.name
  }

  get state(): ServerState {
    return this.#state
  }

  /** What it offers now: nothing unless it is ready. */
  get tools(): readonly Tool[] {
    return this.#state === 'ready' ? this.#tools : []
  }

  get status(): ServerStatus {
    const { stderrTail } = this.#connection.seen
    return {
      name: this.name,
      state: this.#state,
      since: this.#since,
      ...(this.#cause === undefined ? {} : { cause: this.#cause }),
      tools: this.tools.length,
      source: this.owner.place,
      ...(stderrTail === '' ? {} : { stderrTail }),
    }
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#diagnostics, ...misbehaviour(this.owner, this.#connection.seen)]
  }

  /** Whether a tool of this full name is, was or could be one of its own. */
  knows(fullName: string): boolean {
    return this.#tools.some((tool) => tool.name === fullName) || fullName.startsWith(`mcp__${this.name}__`)
  }

  /** Why there is no such tool of this server, for the model. */
  unavailable(): ToolResult {
    return unavailable(this.name, this.#state, this.#cause)
  }

  /** Calls a tool by the name that the server knows. Rejects only when the caller's signal aborts. */
  async call(tool: string, input: JsonObject, signal?: AbortSignal): Promise<ToolResult> {
    signal?.throwIfAborted()
    if (this.#state !== 'ready') return this.unavailable()
    const attempt = this.#begin(this.#config.callMs)
    const cancel = () => attempt.abort('the caller cancelled the call')
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return toResult(this.name, await this.#connection.call(tool, input, attempt.signal))
    } catch (error) {
      signal?.throwIfAborted()
      if (attempt.timedOut) return callTimedOut(this.name, this.#config.callMs)
      if (attempt.signal.aborted) return this.unavailable()
      return callFailed(this.name, error, this.#connection.seen)
    } finally {
      signal?.removeEventListener('abort', cancel)
      attempt.end()
    }
  }

  async close(): Promise<void> {
    if (this.#state === 'connecting' || this.#state === 'ready') this.#enter('closed')
    for (const attempt of this.#pending) attempt.abort('the client is closing')
    await this.#connection.close()
  }

  async #connect(): Promise<void> {
    const attempt = this.#begin(this.#config.connectMs)
    try {
      await this.#connection.open(attempt.signal)
      const listed = await listTools(this.#connection, attempt.signal)
      if (this.#state === 'connecting') this.#publish(listed)
    } catch (error) {
      if (this.#state !== 'connecting') return
      const { timedOut } = attempt
      const { notStarted } = this.#connection.seen
      const late = `did not become ready within ${this.#config.connectMs / 1000} s`
      const cause = timedOut ? late : `${notStarted ? 'could not be started: ' : ''}${messageOf(error)}`
      this.#fail(cause, connectFailed(this.owner, cause, timedOut, this.#connection.seen))
    } finally {
      attempt.end()
    }
  }

  #publish({ tools: sent, cut }: Listed): void {
    const { tools, diagnostics } = readTools(this.owner, sent)
    this.#diagnostics = diagnostics
    if (cut !== undefined) {
      const message = `The list of tools of \`${this.name}\` was cut off: ${cut}.`
      const hint = 'The tools up to there are used; the server has to be fixed.'
      const found = report.warning('mcp.tools.incomplete', this.owner.place, message, { entry: this.owner.entry, hint })
      this.#diagnostics = [...diagnostics, found]
    }
    this.#tools = tools.map((info) => {
      const run = (input: JsonObject, context: ToolContext) => this.call(info.source.tool, input, context.signal)
      return Object.freeze({ ...info, run })
    })
    this.#enter('ready')
  }

  #begin(ms: number): Attempt {
    const controller = new AbortController()
    let timedOut = false
    const cancelTimer = this.#host.clock.after(ms, () => {
      timedOut = true
      controller.abort('it took too long')
    })
    const attempt: Attempt = {
      signal: controller.signal,
      get timedOut() {
        return timedOut
      },
      abort: (reason) => controller.abort(reason),
      end: () => {
        cancelTimer()
        this.#pending.delete(attempt)
      },
    }
    this.#pending.add(attempt)
    return attempt
  }

  #fail(cause: string, diagnostic: Diagnostic): void {
    this.#cause = cause
    this.#diagnostics = [...this.#diagnostics, diagnostic]
    this.#enter('failed')
    // Half-open connections are ended too; `close()` waits for it.
    void this.#connection.close()
  }

  #enter(state: ServerState): void {
    this.#state = state
    this.#since = this.#host.clock.now()
    this.#host.changed()
  }
}
