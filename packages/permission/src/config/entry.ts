import type { Behavior, PermissionMode } from '@ext/kernel/contract'
import type { CompiledRule } from '../rule/compile.js'
import type { Rule } from '../rule/parse.js'

/**
 * One thing that a `permissions` section says: a rule, the mode that sessions start in, a further folder of the
 * workspace, that only managed allow rules count, that no session bypasses them, or whether commands that only read run without a rule.
 */
export type PermissionEntry =
  | { readonly kind: 'rule'; readonly effect: Behavior; readonly text: string; readonly written?: WrittenRule }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'managed-only' }
  | { readonly kind: 'no-bypass' }
  | { readonly kind: 'read-only-commands'; readonly run: boolean }

/** A rule that is written as a map, one of `rules`. */
export interface WrittenRule {
  readonly name?: string
  readonly tool: string
  /** Exactly one of these, or none for all calls of the tool. */
  readonly command?: string
  readonly path?: string
  readonly domain?: string
  readonly regex?: string
  readonly params?: Readonly<Record<string, string>>
  readonly reason?: string
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number
  readonly tests?: RuleTests
}

/** Calls that a rule has to speak about, and calls that it must not: what the tool is about, or a whole input. */
export interface RuleTests {
  readonly match?: readonly unknown[]
  readonly notMatch?: readonly unknown[]
}

/** An entry before it is known whether it is well formed. */
export type PermissionInput =
  | Extract<PermissionEntry, { readonly kind: 'rule' }>
  | {
      readonly kind: 'mode' | 'directory' | 'managed-only' | 'no-bypass' | 'read-only-commands'
      readonly value: unknown
    }

/** What an entry means. */
export type CompiledEntry =
  | {
      readonly kind: 'rule'
      readonly effect: Behavior
      readonly rule: Rule
      readonly reason?: string
      readonly expiresAt?: number
      /** The rule for a working folder: `./` and plain patterns start there. */
      compiledFor(cwd: string): CompiledRule
    }
  | Exclude<PermissionEntry, { readonly kind: 'rule' }>

export const EFFECTS: readonly Behavior[] = ['deny', 'ask', 'allow']

export const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']

/** Names a rule in records. {@link readEntryName} reads it back, so that no broken rule is forgotten. */
export function entryName(effect: Behavior, text: string): string {
  return `${effect} ${text}`
}

export function readEntryName(name: string): { readonly effect: Behavior; readonly text: string } | undefined {
  const effect = EFFECTS.find((each) => name.startsWith(`${each} `))
  return effect && { effect, text: name.slice(effect.length + 1) }
}
