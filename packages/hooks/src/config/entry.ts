import type { MergeStrategy, Source } from '@ext/kernel'
import type { EventName } from '../event-names.js'
import type { Action, CommandAction } from './actions.js'
import type { WrittenCondition } from './condition.js'

/** Which kind of file a hook comes from; it decides what some of its words mean. */
export type HookDialect = 'ext' | 'claude-settings' | 'functions'

/** A hook as it is written, with what stands around it in its file. */
export type HookInput = ExtHookInput | ClaudeHookInput | FunctionHookInput

/** One item of the native `hooks` list. */
export interface ExtHookInput {
  readonly dialect: 'ext'
  readonly rule: unknown
  readonly owner?: HookOwner
}

/**
 * What a hook belongs to, if that is more than a settings file. Hooks of a skill or an agent count only while it is
 * active, by its name.
 */
export type HookOwner =
  /** @property data folder for what the plugin keeps */
  | { readonly kind: 'plugin'; readonly root: string; readonly data?: string }
  /** @property root folder of the file with the header */
  | { readonly kind: 'skill' | 'agent'; readonly root: string; readonly name: string }

/** One handler of a Claude Code settings file, which has its event and matcher outside of itself. */
export interface ClaudeHookInput {
  readonly dialect: 'claude-settings'
  readonly handler: unknown
  readonly event: string
  readonly matcher: unknown
  /** The `env` block of the file. */
  readonly env: Readonly<Record<string, string>>
  readonly owner?: HookOwner
  at(part: 'event' | 'matcher'): Source
}

/** A function of the embedder; see `defineHook`. */
export interface FunctionHookInput {
  readonly dialect: 'functions'
  readonly hook: unknown
}

/** What becomes of plain text on stdout. */
export type StdoutTarget = 'context' | 'user' | 'ignore'

/** A well-formed hook, the same whatever file it comes from. */
export interface HookEntry {
  readonly dialect: HookDialect
  readonly name?: string
  readonly event: EventName
  readonly matcher?: string
  /** The `if`. */
  readonly condition?: WrittenCondition
  readonly action: Action
  readonly timeoutMs?: number
  /** As written. */
  readonly onFailure?: 'continue' | 'block'
  readonly once: boolean
  /**
   * Nobody waits for it and it decides nothing; with `rewake`, its block signal reaches the model all the same.
   * Absent: the event waits for it.
   */
  readonly background?: 'async' | 'rewake'
  /** Runs behind the sequential hooks before it, and sees what they have rewritten. */
  readonly sequential: boolean
  readonly merge?: MergeStrategy
  readonly stdout?: StdoutTarget
  readonly owner?: HookOwner
  /** Where these parts stand: in Claude files outside of the handler. */
  at(part: 'event' | 'matcher'): Source
}

/** The name in the file, or what the hook is made of: its script (`guard.sh`, `npm`), its server, its agent. */
export function hookName({ name, action }: HookEntry): string {
  if (name !== undefined) return name
  switch (action.type) {
    case 'command':
      return scriptName(action)
    case 'http':
      return new URL(action.url).host
    case 'prompt':
      return action.text === undefined ? 'prompt' : 'reminder'
    case 'agent':
      return action.agent ?? 'agent'
    case 'function':
      return action.fn.name || 'function'
  }
}

function scriptName({ command, args = [] }: CommandAction): string {
  const words = [command, ...args]
    .join(' ')
    .replaceAll(/["';]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !word.includes('/dev/'))
  const script = words.find((word) => word.includes('/') || /\.(sh|bash|py|m?js|cjs|ts|rb|pl)$/.test(word))
  const word = script ?? words[0] ?? command
  return word.slice(word.lastIndexOf('/') + 1) || word
}
