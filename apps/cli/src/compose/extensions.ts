import type { Agent } from '@ext/agent-core'
import type { Agents } from '@ext/agent-core/agents'
import type { AgentSession, Model, SessionStore } from '@ext/agent-core/types'
import type { Hooks } from '@ext/hooks'
import type { ConfigSource, Diagnostic, EntryRecord, FileRecord, Snapshot } from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import type { Watching } from '@ext/kernel/node'
import type { Trust, TrustSubject } from '@ext/kernel/trust'
import type { McpClient } from '@ext/mcp-client'
import type { CompiledServer } from '@ext/mcp-client/types'
import type { Permission, RememberedRule, UserPort } from '@ext/permission'
import type { Skills } from '@ext/skills'
import type { SkillSession } from '@ext/skills/types'
import type { ServerPerson } from '../asked/person.js'
import type { CliConfig } from '../config.js'
import type { WatchOptions } from '../follow/follow.js'
import type { Locations } from '../locations.js'
import type { ChosenModel, Models } from '../models/models.js'
import type { Conversation } from '../skills/host.js'

export interface ComposeOptions {
  readonly project: string
  /** The person approves what the project's files run, this time. */
  readonly trustProject: boolean
  /**
   * Start the MCP servers, and wait for a moment until they are there; or in the background, so that nothing waits. Without
   * it configuration is read and nothing runs.
   */
  readonly connect: boolean | 'background'
  /** What the span of the command is called, in which all others stand. Default `ext`. */
  readonly command?: string
  readonly rules?: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** A hook that fails blocks where it can. Default: only where it says so itself. */
  readonly strict?: boolean
  /** Run the commands that bodies of trusted skills mark, within permission. Default: they stay text. */
  readonly skillCommands?: boolean
  /**
   * The model as a flag names it: its provider decides on the form of tools, its context on the room for skills. Default:
   * that of the configuration.
   */
  readonly model?: string
  /** Folder of the administrator's configuration. Default: that of the machine. */
  readonly managedFolder?: string
  /** Whose hooks alone are read, beside the administrator's. Default: those of the project and the person. */
  readonly hookSource?: ConfigSource
  /** Hears what goes wrong with the machine's side, such as a watchdog that can't be started. */
  report(text: string): void
  /** Hears for which servers the start waits, if that takes a while. */
  waiting?(servers: readonly string[]): void
  /** Who answers questions. Without it a question is a no. */
  readonly user?: UserPort
  /** Who answers MCP servers that ask. Without it they are told that nobody does. */
  readonly person?: ServerPerson
}

/** Everything that the project's files say, loaded by the package that owns it. */
export interface Extensions {
  readonly locations: Locations
  /** Which tools are like which well-known one. */
  readonly tools: ToolTable
  readonly config: CliConfig
  readonly models: Models
  readonly trust: Trust
  /** What would run or loosen something once a person has agreed to it. */
  unapproved(): Promise<readonly TrustSubject[]>
  readonly permission: Permission
  /** What was allowed in a conversation of the agent and is remembered there. */
  remembered(conversation: Conversation): readonly RememberedRule[]
  /** The next agent goes on with this session: what was allowed in it stays so. */
  goesOn(id: string): void
  readonly hooks: Hooks
  readonly skills: Skills
  readonly agents: Agents
  /** Of the skills, and of what configuration says about them. */
  skillDiagnostics(): readonly Diagnostic[]
  /** Of the agents, and of what configuration says about them. */
  agentDiagnostics(): readonly Diagnostic[]
  /** The skills of a session of the agent. */
  skillSession(id: string): SkillSession | undefined
  /** The servers as configured; whether they are started or not. */
  readonly servers: Snapshot<CompiledServer>
  /** Only when asked to connect. */
  readonly mcp?: McpClient
  readonly records: readonly EntryRecord[]
  readonly files: readonly FileRecord[]
  /** Of all axes as they stand now, each said once. */
  diagnostics(): readonly Diagnostic[]
  /** These and what somebody has found besides, each said once. */
  merge(found: readonly Diagnostic[]): readonly Diagnostic[]
  /**
   * What happens outside of the loop is told to hooks of this session from now on: questions of servers and what becomes of
   * them, changes of configuration and files. Before, and after another agent was made, to none.
   */
  attach(session: AgentSession): void
  /**
   * Takes changes of configuration over soon after they are made, where no run is under way. A run looks before each of its
   * turns, with and without this.
   */
  watch(options: WatchOptions): Promise<Watching>
  createAgent(chosen: Chosen, options: AgentChoice): Promise<Agent>
  close(): Promise<void>
}

export interface AgentChoice {
  readonly maxTurns?: number
  /** Keeps the sessions. */
  readonly store?: SessionStore
  /** After so long without a run hooks are told that it is the person's turn. Default: they are not. */
  readonly idleMs?: number
}

export type Chosen = Pick<Extract<ChosenModel, { readonly model: Model }>, 'model' | 'spec'>
