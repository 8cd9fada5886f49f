import type { Behavior, PermissionMode } from '@ext/kernel/contract'
import type { CompiledRule } from '../rule/compile.js'
import type { Rule } from '../rule/parse.js'

/** One thing that a `permissions` section says: a rule, or the mode that sessions start in. */
export type PermissionEntry =
  | { readonly kind: 'rule'; readonly effect: Behavior; readonly text: string }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }

/** An entry before it is known that the mode is one. */
export type PermissionInput =
  | Extract<PermissionEntry, { kind: 'rule' }>
  | { readonly kind: 'mode'; readonly mode: unknown }

/** What an entry means. */
export type CompiledEntry =
  | {
      readonly kind: 'rule'
      readonly effect: Behavior
      readonly rule: Rule
      /** The rule for a working folder: `./` and plain patterns start there. */
      compiledFor(cwd: string): CompiledRule
    }
  | { readonly kind: 'mode'; readonly mode: PermissionMode }

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
