import type { PermissionMode } from '@ext/kernel/contract'
import type { AgentProfile } from './profile.js'

/** Who a sub-agent is: what its file says, or what a host hands over as a value. */
export interface AgentDefinition {
  /** Looked up without regard to case. */
  readonly name: string
  /** When to use it; the model chooses by this. */
  readonly description: string
  /** Its system prompt. */
  readonly prompt: string
  /**
   * All tools that it may use; a hard limit. Names of tools, `mcp__server` for all of a server, or `*` at the end of a name
   * for all that start so. Default: every tool of the agent that starts it.
   */
  readonly tools?: readonly string[]
  /** Tools that it may not use, written like `tools`; they win over `tools`. */
  readonly disallowedTools?: readonly string[]
  /** Name of the model, as the host's `models` knows it; `inherit` and absent: that of the agent that starts it. */
  readonly model?: string
  /**
   * Counts where it is stricter than the mode of the agent that starts it. `plan` and `dontAsk` each allow what the other
   * one does not, so neither takes the place of the other.
   */
  readonly permissionMode?: PermissionMode
  /**
   * `read-only`: it changes nothing. It has those of its tools that a trusted source says to be read-only, works in mode
   * `plan`, and so do those that it starts.
   */
  readonly profile?: AgentProfile
  /** Skills that are loaded for it before its first turn. One that can't be is named, and it begins without. */
  readonly skills?: readonly string[]
  /** It runs in the background, where the agent has `tasks`, without being asked to. Default false. */
  readonly background?: boolean
  /** The conversation of a session may be handed over to it, where the agent has `handoff`. Default false. */
  readonly handoff?: boolean
  /** Model calls. Default: the limit of the agent. */
  readonly maxTurns?: number
}

/** What is wrong with a limit of turns; `undefined` if nothing is. */
export function turnsProblem(maxTurns: unknown): string | undefined {
  if (maxTurns === undefined || (Number.isSafeInteger(maxTurns) && Number(maxTurns) >= 1)) return undefined
  return `\`maxTurns\` must be a whole number from 1 up; it is ${maxTurns}.`
}
