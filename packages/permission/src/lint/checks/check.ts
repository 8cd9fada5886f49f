import { createReporter, type Diagnostic, type Source } from '@ext/kernel'
import { diagnosticCodes, type PermissionCode } from '../../codes.js'
import type { RuleHost } from '../../config/pipeline.js'
import type { LintRule } from '../rules.js'

export interface LintContext {
  readonly host: RuleHost
  /** Names that a rule may be about, besides tools of servers. */
  readonly knownTools: readonly string[]
}

/** What is wrong with a rule by its own text. */
export interface Fault {
  readonly code: Extract<PermissionCode, `permission.lint.${string}`>
  /** A full sentence. */
  readonly message: string
  /** A full sentence: what to write instead. */
  readonly hint: string
  readonly related?: { readonly message: string; readonly source: Source }
}

/** Looks at one rule alone. */
export type Check = (rule: LintRule, context: LintContext) => Fault | undefined

const report = createReporter(diagnosticCodes)

export function faultAt({ id, at }: LintRule, { code, message, hint, related }: Fault): Diagnostic {
  return report.warning(code, at(), message, {
    entry: id,
    hint,
    ...(related ? { related: [related] } : {}),
  })
}

/** ``deny rule `Edit(.env)` `` */
export function named({ effect, rule }: LintRule): string {
  return `${effect} rule \`${rule.text}\``
}
