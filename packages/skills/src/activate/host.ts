import type { AgentRunner, SessionRef, ToolTable } from '@ext/kernel/contract'
import type { FilesPort, Snapshot, SnapshotEntry } from '@ext/kernel/types'
import type { Catalog } from '../catalog.js'
import type { CompileContext } from '../config/context.js'
import type { SkillSearch } from '../search/search.js'
import type { CommandHost, Skill, SkillGate } from '../types.js'

/** All that changes with a reload, so that one assignment swaps it. */
export interface Loaded {
  readonly snapshot: Snapshot<Skill>
  /** Of all skills that the model may load. */
  readonly catalog: Catalog
  readonly search: SkillSearch
  /** Skills with `paths`. */
  readonly conditional: readonly SnapshotEntry<Skill>[]
}

/** Forked skills that run right now: by the id of their session, how often each. */
export type RunningForks = Map<string, Map<Skill, number>>

/** What a session of skills works with. */
export interface SessionHost {
  readonly ref: SessionRef
  readonly files: FilesPort
  readonly projectDir: string
  /** Of one SKILL.md. */
  readonly maxBytes: number
  readonly context: CompileContext
  readonly tools: ToolTable
  readonly gate: SkillGate | undefined
  readonly runner: AgentRunner | undefined
  readonly commands: CommandHost | undefined
  readonly forks: RunningForks
  loaded(): Loaded
  /** The catalog without some skills, within the budget. */
  catalogOf(hides: (skill: Skill) => boolean): Catalog
}
