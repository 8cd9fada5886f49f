import type { JsonObject, ToolInfo, ToolProgress, ToolResult } from '@ext/kernel/contract'
import type { CompiledServer } from '../compiled.js'
import { Governor } from '../govern/governor.js'
import { fit } from '../results/fit.js'
import { toResult } from '../results/read.js'
import type { CallOptions } from '../types.js'
import { type CallHost, runCall } from './call.js'
import { Deadline } from './deadline.js'
import type { ServerHost } from './host.js'
import type { Lifeline } from './lifeline.js'
import { CallTrack, withFacts } from './track.js'

export interface CallsHost extends Pick<ServerHost, 'clock' | 'chance' | 'spill' | 'listen' | 'onCall'> {
  readonly server: string
  readonly lifeline: Lifeline
  config(): CompiledServer
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
    const { clock, server, lifeline } = host
    this.#host = host
    this.#governor = new Governor(host.config().limits, clock, () => this.#breakerTurned())
    this.#callHost = { server, clock, lifeline, governor: this.#governor, chance: host.chance }
  }

  /** Sent and not answered yet; and those that wait for the server or for their turn. */
  get counts(): { readonly running: number; readonly waiting: number } {
    const { running } = this.#governor
    return { running, waiting: Math.max(0, this.#running.size - running) }
  }

  /** @throws the signal's reason when it aborts; nothing else */
  async run(tool: ToolInfo, input: JsonObject, { signal, onProgress }: CallOptions): Promise<ToolResult> {
    signal?.throwIfAborted()
    const { clock, server, spill, listen, config } = this.#host
    const { totalMs, limits, tool: rules } = config()
    const { callMs } = rules(tool.source.tool)
    const deadline = new Deadline(clock, { idleMs: callMs, totalMs })
    const track = new CallTrack(clock)
    const tell = onProgress && ((progress: ToolProgress) => listen('onProgress', () => onProgress(progress)))
    const finish = (result: ToolResult) => {
      const facts = track.facts(result)
      this.#tell(tool, facts)
      return withFacts(result, facts)
    }
    const cancel = () => deadline.abort()
    signal?.addEventListener('abort', cancel, { once: true })
    this.#running.add(deadline)
    try {
      const outcome = await runCall(this.#callHost, { tool, input, callMs, totalMs, onProgress: tell, track }, deadline)
      if (outcome.failed) {
        signal?.throwIfAborted()
        return finish(outcome.failed)
      }
      const { maxResultBytes: maxBytes } = limits
      const result = await fit(toResult(server, outcome.sent), {
        server,
        tool: tool.source.tool,
        maxBytes,
        ...(spill ? { spill } : {}),
      })
      return finish(result)
    } catch (error) {
      this.#tell(tool, track.facts(undefined))
      throw error
    } finally {
      this.#running.delete(deadline)
      signal?.removeEventListener('abort', cancel)
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
