/**
 * Types of the package, for hosts and for those who write tools around skills (`@ext/skills/types`).
 * Importing it costs nothing at run time.
 * @module
 */
import type { AgentRunner, JsonObject, SessionRef, ToolTable } from '@ext/kernel/contract'
import type { Matcher } from '@ext/kernel/match'
import type { ConfigSource, Diagnostic, HostPorts, Snapshot, Source, SourceRef } from '@ext/kernel/types'
import type { Rule } from '@ext/permission/rule'
import type { ActivatedBy, CommandHost, Refused, SkillGate, SkillSession } from './session-types.js'

export type * from './session-types.js'

/** `inline`: the body becomes part of the conversation · `fork`: a sub-agent works on it. */
export type SkillMode = 'inline' | 'fork'

/** What a fork sees of the conversation: nothing, the last messages, or all of it. */
export type ForkContext = 'none' | 'recent' | 'full'

/** How much thought a model is to give a turn, in the words of Claude Code. */
export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** One tool of a list, in the language of permission rules: `Read`, `Bash(git add *)`, `mcp__github`. */
export interface ToolRule {
  /** `${SKILL_DIR}` and `${PROJECT_DIR}` are filled in. A rule that has no meaning in its direction is not among them. */
  readonly rule: Rule
  /** Where it stands in the header, for `at` of the entry. */
  readonly pointer: string
}

/** A list that names all tools that may be used. Without rules: none but those of the agent itself. */
export interface ToolLimit {
  /** The field as it is written. */
  readonly field: string
  /** To be compiled as `allow`: a call passes if they allow it. */
  readonly rules: readonly ToolRule[]
}

/** A skill that can be loaded. Immutable, and without its body, which is read when the skill is activated. */
export interface Skill {
  /** As it is written; looked up without regard to case and Unicode form. */
  readonly name: string
  /** Without blanks around it; line breaks are kept. */
  readonly description: string
  readonly whenToUse?: string
  /** For people, for example `[environment]`. */
  readonly argumentHint?: string
  /** Names for `$name`, by position. */
  readonly argumentNames: readonly string[]
  readonly modelInvocable: boolean
  readonly userInvocable: boolean
  readonly mode: SkillMode
  /** Only counts in a fork. */
  readonly forkContext: ForkContext
  /** Name of the sub-agent that a fork is to be. Only in a fork; default: the host's. */
  readonly agent?: string
  /** Name of the model for as long as the skill is at work. */
  readonly model?: string
  readonly effort?: Effort
  /** Tested with absolute paths. The skill is offered to the model once a path that fits has been touched. */
  readonly paths?: Matcher
  /**
   * `allowed-tools`: what is approved in advance while the skill is at work, to be compiled as `allow`. They count only
   * if the skill is {@link Skill.trusted}, and never loosen a limit.
   */
  readonly grants: readonly ToolRule[]
  /** `disallowed-tools`: what may not be used while the skill is at work, to be compiled as `deny`. Always counts. */
  readonly disallowed: readonly ToolRule[]
  /**
   * Hard limits, each of which has to let a call pass; none for a skill without. From `restrict`, and in a fork also from
   * `allowed-tools`. Always count.
   */
  readonly restrict: readonly ToolLimit[]
  /** What commands of the body are written for. `unknown`: they can't be run. */
  readonly shell: 'bash' | 'sh' | 'powershell' | 'unknown'
  /** The header has hooks. Whoever runs hooks reads them from `file` itself. */
  readonly hasHooks: boolean
  /** The layer is the person's own, or somebody agreed to what its files grant and run. */
  readonly trusted: boolean
  readonly license?: string
  readonly compatibility?: string
  readonly metadata?: JsonObject
  /** Absolute path of SKILL.md as it was found; links are not resolved. */
  readonly file: string
  /** The folder of `file`. */
  readonly folder: string
}

/** A skill that was found under a name, and what became of it. */
export interface ExplainedSkill {
  /** `copy`: the same bytes stand in the file of the winner. */
  readonly verdict: 'winner' | 'shadowed' | 'copy' | 'broken'
  readonly source: Source
  /** One sentence, for people. */
  readonly reason: string
}

/** Why a name stands for what it stands for. */
export interface SkillExplanation {
  readonly name: string
  readonly winner?: Skill
  /** The winner first, then the others from the nearest to the farthest. Empty: nothing has this name. */
  readonly found: readonly ExplainedSkill[]
}

/** A skill that a search has found. */
export interface SkillMatch {
  readonly skill: Skill
  /** Above 0; the higher the better. Comparable within one search only. */
  readonly score: number
}

/** All skills of a host. One for the process, sessions apart. */
export interface Skills {
  /** Each call opens a session of its own; what is active in it is kept by the value that is returned, nowhere else. */
  session(ref: SessionRef): SkillSession
  readonly snapshot: Snapshot<Skill>
  /** The skill of a name, or why it can't be started this way. Nothing is read, and nobody asked. */
  lookUp(name: string, via: ActivatedBy): { readonly skill: Skill; readonly problem?: undefined } | Refused
  /** What is to be said about the skills and about the catalog. */
  readonly diagnostics: readonly Diagnostic[]
  /**
   * Finds skills by words of their names and descriptions, best first. Skills that the model may not load are left out
   * unless `hides` says otherwise.
   */
  searchSkills(
    query: string,
    options?: { readonly limit?: number; hides?(skill: Skill): boolean },
  ): Promise<readonly SkillMatch[]>
  /** What became of each skill of a name: which one takes effect, and why the others do not. */
  explain(name: string): SkillExplanation
  /**
   * Reads the same layers again and swaps the snapshot; sessions see the new one from then on. A skill whose header is
   * broken now keeps the one it had.
   */
  reload(): Promise<void>
}

export interface SkillsOptions {
  /** Folders of skill folders, as `FolderSource`s of dialect `skills`, in any order. */
  readonly layers: readonly ConfigSource[]
  readonly ports: Pick<HostPorts, 'files'> & Partial<Pick<HostPorts, 'home' | 'platform'>>
  /** What `${PROJECT_DIR}` stands for. Absolute path. */
  readonly projectDir: string
  /**
   * Whether a person has agreed to what the skills of a source grant and run. Asked for sources that others can write
   * (plugin, project, local) at each load and at each activation. Default: nobody has.
   */
  trusted?(source: SourceRef): boolean
  /**
   * Names of the tools that exist, asked at each load, so that a skill that names another one has a warning. Well-known
   * tools of other programs, and tools of servers, never have one. Without it nobody can say.
   */
  knownTools?(): readonly string[]
  /** Which well-known tools those of the host are like: where they hold paths and commands. Default: none. */
  readonly tools?: ToolTable
  /** Says whether a skill may be started, through whatever door, and its commands run. Default: whoever asks may. */
  readonly permission?: SkillGate
  /** Runs forked skills. Without it they can't be started, which is said when they are loaded. */
  readonly runner?: AgentRunner
  /**
   * Runs commands in bodies, of skills that are trusted and through `permission`. Default: they stay text, with a note to
   * the model.
   */
  readonly commands?: CommandHost
  /** How far the search goes. Default: depth 6, 2,000 folders for each source, 1 MiB for a SKILL.md. */
  readonly limits?: { readonly depth?: number; readonly folders?: number; readonly fileBytes?: number }
  /**
   * Budget of the catalog in tokens, estimated at four ASCII characters or one other character a token. Default: 2 % of
   * `contextTokens`.
   */
  readonly catalogTokens?: number
  /** Tokens that the context of the model holds. Default 100,000. */
  readonly contextTokens?: number
  /** How the catalog is written. Default `markdown`. */
  readonly catalogFormat?: 'markdown' | 'xml'
}
