import type { JsonObject, ToolInfo, ToolProgress, ToolResult } from '@ext/kernel/contract'
import type { CompiledServer } from '../compiled.js'
import type { Greeting, OfferRequest, Session, SessionCallOptions } from '../connect/session.js'
import { Governor } from '../govern/governor.js'
import { mayRepeat } from '../govern/repeat.js'
import { fit } from '../results/fit.js'
import { toResult } from '../results/read.js'
import type { CallOptions } from '../types.js'
import { type Call, type CallHost, type CallOutcome, runCall } from './call.js'
import { Deadline } from './deadline.js'
import type { ServerHost } from './host.js'
import type { Lifeline } from './lifeline.js'
import { type Asked, type AskedServer, startRequest } from './span.js'
import { CallTrack, withFacts } from './track.js'

export interface CallsHost
  extends Pick<ServerHost, 'clock' | 'chance' | 'spill' | 'listen' | 'usage' | 'aborts' | 'onCall' | 'draw'> {
  readonly server: string
  readonly lifeline: Lifeline
  readonly visited: CallHost['visited']
  config(): CompiledServer
  /** As it said when it was connected to last. */
  greeting(): Greeting | undefined
  /** Why a tool is not to be called any more, if that is so. */
  refusal(tool: ToolInfo): ToolResult | undefined
}

const FAILING = {
  cause: 'failed at several calls in a row',
  hint: 'Calls are kept from it for a while; `limits.breaker` says for how long.',
}

/** All calls of one server. */
export class Calls {
  readonly #host: CallsHost
  readonly #governor: Governor
  readonly #callHost: CallHost
  readonly #running = new Set<Deadline>()

  constructor(host: CallsHost) {
    const { clock, server, lifeline, chance, visited, draw } = host
    this.#host = host
    this.#governor = new Governor(host.config().limits, clock, () => this.#breakerTurned())
    this.#callHost = {
      server,
      clock,
      lifeline,
      governor: this.#governor,
      chance,
      visited,
      ...(draw ? { draw: (asked, within) => startRequest(draw, asked, this.#asked, within) } : {}),
    }
  }

  /** Sent and not answered yet; and those that wait for the server or for their turn. */
  get counts(): { readonly running: number; readonly waiting: number } {
    const { running } = this.#governor
    return { running, waiting: Math.max(0, this.#running.size - running) }
  }

  /** @throws the signal's reason when it aborts; nothing else */
  async run(tool: ToolInfo, input: JsonObject, options: CallOptions): Promise<ToolResult> {
    options.signal?.throwIfAborted()
    const { clock } = this.#host
    const track = new CallTrack(clock)
    try {
      const result = await this.#call(tool, input, track, options)
      this.#host.usage.count(this.#host.server, tool.source.tool, !result.isError)
      const facts = track.facts(result)
      this.#tell(tool, facts)
      return withFacts(result, facts)
    } catch (error) {
      this.#tell(tool, track.facts(undefined))
      throw error
    }
  }

  /**
   * Asks for something that changes nothing and is no call of a tool, within the same limits.
   * @param hint what can be done about a server that says no
   * @throws the signal's reason when it aborts; nothing else
   */
  ask(what: OfferRequest, params: JsonObject, hint: string, options: CallOptions): Promise<CallOutcome> {
    const prompt = what === 'prompts/get' ? { prompt: String(params['name']) } : {}
    return this.#read((session, sending) => session.ask(what, params, sending), hint, options, {
      method: what,
      ...prompt,
    })
  }

  /**
   * The same for what takes more than one request. No span is drawn.
   * @param callMs from the last sign of life on; default: that of a call
   */
  read(
    ask: (session: Session, options: SessionCallOptions) => Promise<unknown>,
    hint: string,
    options: CallOptions & { readonly callMs?: number },
  ): Promise<CallOutcome> {
    return this.#read(ask, hint, options)
  }

  #read(
    ask: (session: Session, options: SessionCallOptions) => Promise<unknown>,
    hint: string,
    options: CallOptions & { readonly callMs?: number },
    asked?: Asked,
  ): Promise<CallOutcome> {
    const { trusted, callMs } = this.#host.config()
    const track = new CallTrack(this.#host.clock)
    const common = { ask, repeatable: trusted, hint, callMs: options.callMs ?? callMs, track }
    return this.#attempt({ ...common, ...(asked ? { asked } : {}) }, options)
  }

  /** What one result may have. */
  get maxResultBytes(): number {
    return this.#host.config().limits.maxResultBytes
  }

  /** @param what names the result where it is kept, if it is too large */
  fit(what: string, result: ToolResult, maxBytes: number = this.maxResultBytes): ToolResult | Promise<ToolResult> {
    const { server, spill } = this.#host
    return fit(result, { server, tool: what, maxBytes, ...(spill ? { spill } : {}) })
  }

  async #call(tool: ToolInfo, input: JsonObject, track: CallTrack, options: CallOptions): Promise<ToolResult> {
    const { server, config, refusal } = this.#host
    const { tool: name } = tool.source
    const outcome = await this.#attempt(
      {
        ask: (session, sending) => session.call(name, input, sending),
        asked: { method: 'tools/call', tool: name },
        refusal: () => refusal(tool),
        repeatable: mayRepeat(tool),
        hint: 'Check the input against the schema of the tool, or do it another way.',
        callMs: config().tool(name).callMs,
        track,
      },
      options,
    )
    // What a server says in an error has no limit either.
    return this.fit(name, outcome.failed ?? toResult(server, outcome.sent))
  }

  async #attempt(
    call: Omit<Call, 'totalMs' | 'onProgress' | 'caller'>,
    { signal, onProgress, trace, session }: CallOptions,
  ): Promise<CallOutcome> {
    signal?.throwIfAborted()
    const { clock, listen, aborts, config } = this.#host
    const { totalMs } = config()
    const deadline = new Deadline(clock, { idleMs: call.callMs, totalMs })
    const tell = onProgress && ((progress: ToolProgress) => listen('onProgress', () => onProgress(progress)))
    const rest = signal && aborts.add(signal, () => deadline.abort())
    this.#running.add(deadline)
    try {
      const outcome = await runCall(
        this.#callHost,
        { ...call, totalMs, onProgress: tell, caller: { trace, session } },
        deadline,
      )
      if (outcome.failed) signal?.throwIfAborted()
      return outcome
    } finally {
      this.#running.delete(deadline)
      rest?.()
      deadline.end()
    }
  }

  /** What the server may be asked is different now. */
  retune(): void {
    this.#governor.setLimits(this.#host.config().limits)
  }

  /** The server has been started anew: what it failed at before says nothing about it. */
  forgive(): void {
    this.#governor.forgive()
  }

  /** Gives up all that is under way. */
  abort(): void {
    for (const deadline of this.#running) deadline.abort()
  }

  get #asked(): AskedServer {
    const { server, config, greeting } = this.#host
    return { name: server, kind: config().endpoint().kind, greeting: greeting() }
  }

  #tell({ name, source }: ToolInfo, facts: ReturnType<CallTrack['facts']>): void {
    const { server, onCall } = this.#host
    onCall?.({ server, tool: source.tool, name, ...facts })
  }

  #breakerTurned(): void {
    const { lifeline } = this.#host
    if (this.#governor.isOpen) lifeline.trouble(FAILING.cause, FAILING.hint)
    else lifeline.well()
  }
}
