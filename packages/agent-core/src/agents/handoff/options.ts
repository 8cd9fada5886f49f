import { describe, ExtError, isMap } from '@ext/kernel'
import type { Message } from '@ext/kernel/contract'
import type { AgentDefinition } from '../definition.js'
import { foldName } from '../names.js'

/**
 * Lets an agent hand the conversation over, for good, to another one whose definition says `handoff`: the tool `handoff`.
 * From the next model call on that one's prompt, tools, model, mode and limit of turns count.
 */
export interface HandoffOptions {
  /** What the agent with which a session begins is called where others hand back to it. Default `main`. */
  readonly first?: string
  /**
   * What of the conversation the next agent sees, also from then on: the log keeps all of it. Default: everything. Gets a
   * copy of the frozen messages, the newest of which holds the result of the handoff. One that throws, takes longer than
   * `toolTimeoutMs`, or gives a conversation that no model could be asked with, such as a call without its result, keeps
   * the handoff from happening, which user and model are told.
   */
  readonly inputFilter?: (
    messages: readonly Message[],
    handoff: HandoffEvent,
  ) => readonly Message[] | Promise<readonly Message[]>
  /** Told once the conversation is handed over. Not waited for; a throw or rejection is only said. */
  readonly onHandoff?: (handoff: HandoffEvent) => unknown
}

/** A conversation goes from one agent to another. */
export interface HandoffEvent {
  /** Name of the definition, or of the first agent. */
  readonly from: string
  readonly to: string
  /** In the words of the agent that hands over. */
  readonly reason?: string
}

export type CheckedHandoff = HandoffOptions & { readonly first: string }

/** Throws `agent-core.handoff` for options of the wrong kind, and for a first agent whose name a definition has. */
export function checkHandoff(
  options: HandoffOptions | undefined,
  agents: ReadonlyMap<string, AgentDefinition>,
): CheckedHandoff | undefined {
  if (options === undefined) return undefined
  const problem = problemOf(options, agents)
  if (problem !== undefined) throw new ExtError('agent-core.handoff', problem)
  return { ...options, first: options.first ?? FIRST }
}

const FIRST = 'main'

function problemOf(options: HandoffOptions, agents: ReadonlyMap<string, AgentDefinition>): string | undefined {
  if (!isMap(options)) return `\`handoff\` must be a map; it is ${describe(options)}.`
  const { first = FIRST, inputFilter, onHandoff } = options
  if (typeof first !== 'string' || first.trim() === '') return '`handoff.first` must be a name that is not empty.'
  if (agents.has(foldName(first))) {
    return `The first agent can’t be called ${first}: a definition has that name. Give another one in \`handoff.first\`.`
  }
  for (const [name, value] of Object.entries({ inputFilter, onHandoff })) {
    if (value !== undefined && typeof value !== 'function') {
      return `\`handoff.${name}\` must be a function; it is ${describe(value)}.`
    }
  }
  return undefined
}
