import type { Tool, ToolTable } from '@ext/kernel/contract'

/** What a sub-agent is kept to. `read-only`: it changes nothing, whatever rules and people allow. */
export type AgentProfile = 'read-only'

export const PROFILES: readonly AgentProfile[] = ['read-only']

export function isProfile(value: unknown): value is AgentProfile {
  return value === 'read-only'
}

/**
 * Whether a tool can be had by who may only read: what a trusted source says to be read-only and not to leave the machine,
 * what belongs to the agent itself, and a tool like `Bash` if there is a gate that lets only those commands pass, in mode
 * `plan`, that read. A tool that says nothing about itself may do anything.
 */
export function mayReadWith(tool: Tool, table: ToolTable, commandsAreJudged: boolean): boolean {
  const { name, kind, source, annotations } = tool
  const isOwn = source.server === undefined
  if (kind === 'meta') return isOwn
  if (kind === 'read') return source.trusted === true && annotations.readOnly === true
  return kind === 'exec' && isOwn && commandsAreJudged && Object.hasOwn(table, name) && table[name]?.as === 'Bash'
}
