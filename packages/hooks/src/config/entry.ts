import type { Source } from '@ext/kernel'
import type { EventName } from '../event-names.js'

/** Which kind of file a hook comes from; it decides what some of its words mean. */
export type HookDialect = 'ext' | 'claude-settings'

/** A hook as it is written, with what stands around it in its file. */
export type HookInput = ExtHookInput | ClaudeHookInput

/** One item of the native `hooks` list. */
export interface ExtHookInput {
  readonly dialect: 'ext'
  readonly rule: unknown
}

/** One handler of a Claude Code settings file, which has its event and matcher outside of itself. */
export interface ClaudeHookInput {
  readonly dialect: 'claude-settings'
  readonly handler: unknown
  readonly event: string
  readonly matcher: unknown
  /** The `env` block of the file. */
  readonly env: Readonly<Record<string, string>>
  at(part: 'event' | 'matcher'): Source
}

/** What a hook does. */
export type Action = CommandAction

/** Runs a program. With `args` no shell is involved. */
export interface CommandAction {
  readonly type: 'command'
  readonly command: string
  readonly args?: readonly string[]
  readonly shell: 'sh' | 'bash'
  readonly env: Readonly<Record<string, string>>
  /** Variables of the host that the command may see. */
  readonly passEnv: readonly string[]
  /** As written; relative to the project folder. */
  readonly cwd?: string
}

/** What becomes of plain text on stdout. */
export type StdoutTarget = 'context' | 'user' | 'ignore'

/** A well-formed hook, the same whatever file it comes from. */
export interface HookEntry {
  readonly dialect: HookDialect
  readonly name?: string
  readonly event: EventName
  readonly matcher?: string
  /** The permission rule of `if`. */
  readonly condition?: string
  readonly action: Action
  readonly timeoutMs?: number
  readonly onFailure: 'continue' | 'block'
  readonly once: boolean
  readonly stdout?: StdoutTarget
  /** Where these parts stand: in Claude files outside of the handler. */
  at(part: 'event' | 'matcher'): Source
}

/** The name in the file, or the script that is run: `guard.sh`, `npm`. */
export function hookName(entry: HookEntry): string {
  return entry.name ?? scriptName(entry.action)
}

function scriptName({ command, args = [] }: CommandAction): string {
  const words = [command, ...args].join(' ').replaceAll(/["']/g, ' ').split(/\s+/).filter(Boolean)
  const script = words.find((word) => word.includes('/') || /\.(sh|bash|py|m?js|cjs|ts|rb|pl)$/.test(word))
  const word = script ?? words[0] ?? command
  return word.slice(word.lastIndexOf('/') + 1) || word
}
