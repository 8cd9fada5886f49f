import { createReporter, type Diagnostic, messageOf } from '@ext/kernel'
import type { JsonObject, Tool, ToolResult } from '@ext/kernel/contract'
import type { ClockPort, SnapshotEntry } from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import { type Listed, listTools } from './connect/list.js'
import { type Connection, Fault } from './connect/port.js'
import { type Failure, failure, toResult } from './registry/results.js'
import { readTools, type ToolOwner } from './registry/tools.js'
import type { CompiledServer, Launch, ServerState, ServerStatus } from './types.js'

const report = createReporter(diagnosticCodes)

export interface ServerHost {
  readonly clock: ClockPort
  connect(launch: Launch): Connection
  /** The state or the tools of a server are different now. */
  changed(): void
}

/** One server from its start to its end. Nothing that it does rejects or reaches its siblings. */
export class Server {
  readonly owner: ToolOwner
  /** Resolves when the server is ready or has failed. */
  readonly settled: Promise<void>
  readonly #config: CompiledServer
  readonly #host: ServerHost
  readonly #connection: Connection
  /** Aborts what is going on: the connect and every call. */
  readonly #pending = new Set<AbortController>()
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
      if (this.#state === 'ready') this.#fail('mcp.server.lost', `${this.#end()}, after it had been ready`)
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
    const { junk, tooLarge } = this.#connection.seen
    const { name, entry, place } = this.owner
    const found = [...this.#diagnostics]
    if (junk.lines > 0) {
      const lines = junk.lines === 1 ? 'a line' : `${junk.lines} lines`
      const message = `\`${name}\` wrote ${lines} to stdout that are no MCP messages, first ${JSON.stringify(junk.first)}.`
      const hint = 'They are skipped. A server has to write its log to stderr.'
      found.push(report.warning('mcp.output.junk', place, message, { entry, hint }))
    }
    if (tooLarge > 0) {
      const message = `\`${name}\` sent a message over 64 MiB, which was dropped; its call ends by timeout.`
      const hint = 'Ask the tool for less at a time.'
      found.push(report.warning('mcp.output.too-large', place, message, { entry, hint }))
    }
    return found
  }

  /** Whether a tool of this full name is or was one of its own. */
  knows(fullName: string): boolean {
    return this.#tools.some((tool) => tool.name === fullName) || fullName.startsWith(`mcp__${this.name}__`)
  }

  /** Why there is no tool of this server to be called, for the model. */
  unavailable(): ToolResult {
    const known = { server: this.name, phase: 'connect' } as const
    switch (this.#state) {
      case 'connecting':
        return failure({
          ...known,
          kind: 'network',
          text: `The server \`${this.name}\` is still connecting.`,
          hint: 'Try again later, or go on without it.',
        })
      case 'closed':
        return failure({
          ...known,
          kind: 'aborted',
          text: `The server \`${this.name}\` was closed.`,
          hint: 'It does not come back in this run.',
        })
      case 'failed':
        return failure({
          ...known,
          kind: 'network',
          text: `The server \`${this.name}\` is not running: it ${this.#cause}.`,
          hint: 'Go on without it; it is not started again in this run.',
        })
      default:
        return failure({
          ...known,
          phase: 'find',
          kind: 'protocol',
          text: `The server \`${this.name}\` has no such tool.`,
          hint: 'Use one of the tools that are listed.',
        })
    }
  }

  async close(): Promise<void> {
    if (this.#state === 'connecting' || this.#state === 'ready') this.#enter('closed')
    for (const each of this.#pending) each.abort('the client is closing')
    await this.#connection.close()
  }

  async #connect(): Promise<void> {
    const { connectMs } = this.#config
    const budget = this.#begin(connectMs)
    try {
      await this.#connection.open(budget.signal)
      const listed = await listTools(this.#connection, budget.signal)
      if (this.#state === 'connecting') this.#publish(listed)
    } catch (error) {
      if (this.#state !== 'connecting') return
      const late = `did not become ready within ${connectMs / 1000} s`
      this.#fail('mcp.server.failed', budget.timedOut() ? late : messageOf(error))
    } finally {
      budget.end()
    }
  }

  #publish(listed: Listed): void {
    const { tools, diagnostics } = readTools(this.owner, listed.tools)
    this.#tools = tools.map((info) =>
      Object.freeze({
        ...info,
        run: (input: JsonObject, { signal }: { readonly signal: AbortSignal }) =>
          this.call(info.source.tool, input, signal),
      }),
    )
    this.#diagnostics = diagnostics
    if (listed.cut !== undefined) {
      const message = `The list of tools of \`${this.name}\` was cut off: ${listed.cut}.`
      const hint = 'The tools up to there are used; the server has to be fixed.'
      const found = report.warning('mcp.tools.incomplete', this.owner.place, message, { entry: this.owner.entry, hint })
      this.#diagnostics = [...diagnostics, found]
    }
    this.#enter('ready')
  }

  /** Calls a tool by the name that the server knows. Rejects only when the caller's signal aborts. */
  async call(tool: string, input: JsonObject, signal?: AbortSignal): Promise<ToolResult> {
    signal?.throwIfAborted()
    if (this.#state !== 'ready') return this.unavailable()
    const { callMs } = this.#config
    const attempt = this.#begin(callMs)
    const cancel = () => attempt.abort('the caller cancelled the call')
    signal?.addEventListener('abort', cancel, { once: true })
    const known = { server: this.name, phase: 'call' } as const
    try {
      return toResult(this.name, await this.#connection.call(tool, input, attempt.signal))
    } catch (error) {
      signal?.throwIfAborted()
      if (attempt.timedOut()) {
        return failure({
          ...known,
          kind: 'timeout',
          text: `The server \`${this.name}\` did not answer within ${callMs / 1000} s.`,
          hint: 'Ask for less at a time; the limit is `timeout.call` of the server. The call may have taken effect.',
        })
      }
      if (attempt.signal.aborted) return this.unavailable()
      return failure({ ...known, ...this.#explain(error) })
    } finally {
      signal?.removeEventListener('abort', cancel)
      attempt.end()
    }
  }

  #explain(error: unknown): Pick<Failure, 'kind' | 'text' | 'hint'> {
    const kind = error instanceof Fault ? error.kind : 'protocol'
    const text = `The server \`${this.name}\` ${messageOf(error)}.`
    switch (kind) {
      case 'network':
        return {
          kind,
          text: `${text}${this.#lastWords()}`,
          hint: 'Go on without it: it is not started again in this run. The call may have taken effect.',
        }
      case 'remote':
        return { kind, text, hint: 'Check the input against the schema of the tool, or do it another way.' }
      case 'protocol':
        return { kind, text, hint: 'The call may have taken effect; the server has to be fixed.' }
    }
  }

  /** A time limit of its own for each thing that is waited for, so that none outlives it. */
  #begin(ms: number) {
    const controller = new AbortController()
    let timedOut = false
    const cancelTimer = this.#host.clock.after(ms, () => {
      timedOut = true
      controller.abort('it took too long')
    })
    this.#pending.add(controller)
    return {
      signal: controller.signal,
      abort: (reason: string) => controller.abort(reason),
      timedOut: () => timedOut,
      end: () => {
        cancelTimer()
        this.#pending.delete(controller)
      },
    }
  }

  #fail(code: 'mcp.server.failed' | 'mcp.server.lost', cause: string): void {
    const { notStarted, junk } = this.#connection.seen
    const hint = notStarted
      ? 'Check `command` and `cwd`: the program has to be on PATH, or be written as a path.'
      : code === 'mcp.server.lost'
        ? 'Its tools are gone until the next start; its stderr is in `status()`.'
        : junk.lines > 0
          ? 'Its stdout holds something else than MCP: does the command start an MCP server?'
          : 'Run the command by hand to see what it says; `timeout.connect` gives it more time.'
    const what = notStarted ? 'could not be started: ' : ''
    const message = `\`${this.name}\` ${what}${cause}.${this.#lastWords()}`
    const found = report.error(code, this.owner.place, message, { entry: this.owner.entry, hint })
    this.#diagnostics = [...this.#diagnostics, found]
    this.#cause = `${what}${cause}`
    this.#enter('failed')
    void this.#connection.close()
  }

  #end(): string {
    return this.#connection.seen.end ?? 'ended'
  }

  #lastWords(): string {
    const lines = this.#connection.seen.stderrTail.trim().split('\n').slice(-LAST_LINES).join('\n')
    return lines === '' ? '' : ` Its last words on stderr: ${JSON.stringify(lines)}.`
  }

  #enter(state: ServerState): void {
    this.#state = state
    this.#since = this.#host.clock.now()
    this.#host.changed()
  }
}

const LAST_LINES = 5
