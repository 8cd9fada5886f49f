import type { LifecycleEvent, LifecyclePayloads, ToolEventPayload } from '@ext/kernel/contract'
import { type CallReading, type CompiledRule, matchReading, type RuleTool, readCall } from '@ext/permission/rule'
import type { SentPayload } from '../run/payload.js'

/** Whose hooks count besides those of settings and plugins. */
export interface Scope {
  /** The kind of sub-agent whose session it is. */
  readonly agent?: string
  /** The files of the skills that are active. */
  skills(): readonly string[]
}

/** An event as hooks are matched against it. What costs something is made when the first asks, and once for all. */
export class Subject {
  /** What the event itself says. */
  readonly own: LifecyclePayloads[LifecycleEvent]
  readonly cwd: string
  readonly scope: Scope
  readonly #complete: () => SentPayload
  #payload: SentPayload | undefined
  #reading: CallReading | undefined

  /** @param complete adds to `own` what every payload has */
  constructor(own: LifecyclePayloads[LifecycleEvent], cwd: string, scope: Scope, complete: () => SentPayload) {
    this.own = own
    this.cwd = cwd
    this.scope = scope
    this.#complete = complete
  }

  /** The payload that hooks get. */
  get payload(): SentPayload {
    this.#payload ??= this.#complete()
    return this.#payload
  }

  /** The same moment with another payload. */
  changed(payload: SentPayload): Subject {
    return new Subject(payload, this.cwd, this.scope, () => payload)
  }

  /**
   * Whether a permission rule speaks about the tool call. An event without one fits none. A command line is read once for
   * all hooks: their rules differ in where they are written, not in the folders of the call.
   */
  fits(rule: CompiledRule): boolean {
    if (!('tool_name' in this.own)) return false
    this.#reading ??= readCall({ tool: ruleTool(this.own), input: this.own.tool_input }, rule.context)
    return matchReading(rule, this.#reading)
  }
}

function ruleTool({ tool_name: name, server, server_tool }: ToolEventPayload): RuleTool {
  return { name, source: server === undefined ? { tool: name } : { server, tool: server_tool ?? name } }
}
