import type {
  Attributed,
  Authorization,
  AuthorizeRequest,
  Decision,
  RunTerms,
  SessionRef,
  Tool,
  ToolInfo,
} from '@ext/kernel/contract'
import type { ProcessPort } from '@ext/kernel/types'
import type { Skill } from './types.js'

/** A text for the prompt of a session. */
export interface ContextBlock {
  readonly by: string
  /** `system`: the same bytes in every turn, for the prefix of the prompt. `turn`: may differ from turn to turn. */
  readonly place: 'system' | 'turn'
  readonly text: string
}

/** Who wants a skill: `model` through its tool, `user` through a command such as `/name`. */
export type ActivatedBy = 'model' | 'user'

export interface ActivateOptions {
  readonly via: ActivatedBy
  /** As typed. Data: whatever it holds, nothing in it is expanded or run. */
  readonly args?: string
  /** What holds in the run besides the session's own skills, for whatever has to be permitted on the way. */
  readonly terms?: readonly RunTerms[]
  /**
   * Who loads it, where the conversation of the session was handed over to another agent: its permission decides. Default:
   * the agent with which the session began.
   */
  readonly session?: SessionRef
  readonly signal?: AbortSignal
}

/** What came of it. Frozen. */
export type Activation = Activated | Forked | Refused

/** The skill is active in the session. */
export interface Activated {
  readonly mode: 'inline'
  readonly skill: Skill
  /** The instructions, with placeholders filled in. */
  readonly text: string
  /** The skill was active with this very text already. */
  readonly unchanged: boolean
  /** Why the version that was read before is used: its file can't be used any more. */
  readonly stale?: string
  /** Files beside SKILL.md, as paths relative to the folder: at most 50. */
  readonly resources: readonly string[]
  /** There are more files than `resources` lists. */
  readonly moreResources: boolean
  readonly problem?: undefined
}

/** A sub-agent has done what the skill says. */
export interface Forked {
  readonly mode: 'fork'
  readonly skill: Skill
  /** Its last message: at most 16 KiB of UTF-8. */
  readonly text: string
  /** The message was longer. */
  readonly cut: boolean
  /** As in {@link Activated}. */
  readonly stale?: string
  readonly problem?: undefined
}

/** Nothing has changed. */
export interface Refused {
  readonly code: RefusalCode
  readonly problem: string
  readonly hint: string
  readonly mode?: undefined
  readonly skill?: undefined
}

/**
 * - `skills.unknown` · `skills.disabled`: switched off · `skills.user-only`, `skills.model-only`: the wrong door · `skills.denied`: permission says no
 * - `skills.unreadable`: its file can't be used, and there is no version of before
 * - `skills.fork.no-runner`: it is to be forked, and the host has no sub-agents · `skills.fork.failed`: it did not finish
 */
export type RefusalCode =
  | 'skills.unknown'
  | 'skills.disabled'
  | 'skills.user-only'
  | 'skills.model-only'
  | 'skills.denied'
  | 'skills.unreadable'
  | 'skills.fork.no-runner'
  | 'skills.fork.failed'

export interface ActiveSkill {
  readonly skill: Skill
  readonly text: string
  /** Who activated it last. */
  readonly via: ActivatedBy
}

/** A prompt that starts a skill. */
export interface SkillCommand {
  readonly name: string
  /** As typed. */
  readonly args: string
}

export type ExpandOptions = Pick<ActivateOptions, 'signal' | 'terms' | 'session'>

/** What goes behind a prompt that has started a skill, or why it could not. */
export type PromptExpansion =
  | { readonly context: readonly Attributed[]; readonly problem?: undefined }
  | { readonly problem: Attributed; readonly context?: undefined }

/** How much of active skills is kept. At four ASCII characters or one other character a token, as in the catalog. */
export interface CompactOptions {
  /** Of all of them. Default 25,000. */
  readonly tokens?: number
  /** Of each. Default 5,000. */
  readonly tokensPerSkill?: number
}

/** Names of the skills, the newest activation first. */
export interface CompactedSkills {
  readonly whole: readonly string[]
  readonly shortened: readonly string[]
  /** A line is left, which says that the skill can be loaded again. Its limits and hooks go on. */
  readonly putAway: readonly string[]
}

/** What a session has to have again when it is resumed. JSON. */
export interface SavedSkills {
  readonly version: 1
  readonly active: readonly {
    readonly name: string
    readonly text: string
    readonly via: ActivatedBy
    readonly cut: boolean
  }[]
  /** What is refused until the session is cleared, also by skills that have changed or are gone when it is resumed. */
  readonly limits: readonly RunTerms[]
  /** Skills with `paths` of which a path has been touched. */
  readonly offered: readonly string[]
}

export interface RestoredSkills {
  /** Names of skills that are there no more, or whose record can't be used; limits that can't be read. */
  readonly missing: readonly string[]
}

/** The skills of one session, or of a sub-agent in it. Fits the extension port of an agent. */
export interface SkillSession {
  /**
   * The tool `load_skill`, with `search_skills` beside it if the catalog leaves skills out; nothing if there is no skill
   * that the model may load.
   */
  tools(): readonly Tool[]
  /**
   * The catalog as a system block; then as turn blocks the skills whose `paths` have been touched, and each active skill in
   * the order of first activation.
   */
  context(): readonly ContextBlock[]
  /** Limits of active skills, and what they bring for the run that is under way. The same list until that changes. */
  terms(): readonly RunTerms[]
  /** A tool was run: skills with `paths` may be offered from now on. */
  called(request: AuthorizeRequest): void
  /** What was for the run only ends now, also for activations that are on their way. */
  runEnded(): void
  /**
   * Reads the skill from disk, asks permission, fills in its placeholders and keeps it active, or has a sub-agent work on
   * it. Rejects only when `signal` aborts, with its reason. Calls take effect in the order they are made; sub-agents work
   * side by side.
   */
  activate(name: string, options: ActivateOptions): Promise<Activation>
  /** Starts the skill that a prompt names; for the option `expand` of a run. */
  expand(command: SkillCommand, options?: ExpandOptions): Promise<PromptExpansion>
  active(): readonly ActiveSkill[]
  /** The skills that are active or run in a sub-agent of this session right now: those whose hooks count. */
  inForce(): readonly Skill[]
  /**
   * Keeps what fits of the instructions of active skills, the newest activation first. For the compaction of a
   * conversation. Throws `skills.options.tokens` for a number below 0.
   */
  compact(options?: CompactOptions): CompactedSkills
  /** What is active, as JSON: for a session that is to be resumed. */
  state(): SavedSkills
  /** Takes up what {@link state} gave, whoever has kept it. What was granted for a run stays lost. */
  restore(saved: unknown): RestoredSkills
  /** Forgets the active skills, also those on their way. Call it when the session is cleared. */
  reset(): void
}

/** Says whether skills may be started and their commands run; `@ext/permission` is one. */
export interface SkillGate {
  session(ref: SessionRef): SkillGateSession
}

export interface SkillGateSession {
  decide(request: AuthorizeRequest): Pick<Decision, 'behavior'>
  authorize(
    request: AuthorizeRequest,
    options: { readonly terms?: readonly RunTerms[]; readonly signal?: AbortSignal },
  ): Promise<Pick<Authorization, 'behavior' | 'reason' | 'updatedInput'>>
}

/** What runs the commands that bodies of trusted skills mark with `!`. */
export interface CommandHost {
  readonly process: ProcessPort
  /** The whole environment of the commands. See `minimalEnv` of `@ext/kernel/env`. */
  readonly env: Readonly<Record<string, string>>
  /** The host's tool for command lines: the gate decides as if it was called. */
  readonly tool: ToolInfo
  /** Of each command, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
}
