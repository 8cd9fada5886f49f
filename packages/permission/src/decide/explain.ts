import type { Source } from '@ext/kernel'
import type { AuthorizeRequest, Decision, PermissionMode } from '@ext/kernel/contract'
import type { CriticalOperation, Effect, Span, Unknown } from '../shell/index.js'
import { type DecideContext, decide, readRequest } from './decide.js'
import { judgeLine } from './line.js'
import { type SuggestedRule, suggestRules } from './suggest.js'

/** Everything that there is to say about a decision. Plain data. */
export interface Explanation {
  readonly decision: Decision
  readonly mode: PermissionMode
  /** Where relative paths start. */
  readonly cwd: string
  /** Of a command line: every command that would run, at whatever depth. Empty for other tools. */
  readonly units: readonly ExplainedUnit[]
  /** Of a command line: what it reads, writes and reaches. */
  readonly effects: readonly Effect[]
  /** Of a command line: what could not be judged, and whether a rule has answered it. */
  readonly unknowns: readonly (Unknown & { readonly answered: boolean })[]
  readonly critical: readonly CriticalOperation[]
  /** The paths that the call touches, with where they really lead if that is elsewhere. */
  readonly paths: readonly { readonly path: string; readonly leadsTo?: readonly string[] }[]
  /** The narrowest rules that would allow it; empty where no rule can, and where nothing is asked. */
  readonly narrowest: readonly SuggestedRule[]
}

/** One command of a line, and why it may run. */
export interface ExplainedUnit {
  /** What the program gets, and its name first. Text that is only known at run time is `\uFFFC`. */
  readonly argv: readonly string[]
  /** Absolute; `undefined` when it can't be known. */
  readonly cwd: string | undefined
  /** What is assigned for it alone: names with values, `undefined` for those that are only known at run time. */
  readonly env: readonly { readonly name: string; readonly value: string | undefined }[]
  /** How it is reached, outermost first. */
  readonly via: readonly string[]
  readonly span: Span
  /**
   * - `rule`: the allow rule in `rule` · `reads`: it only reads, and such commands run without a rule
   * - `transparent`: a wrapper or a builtin that needs no rule · `nothing`: it would have to be allowed
   */
  readonly allowedBy: 'rule' | 'reads' | 'transparent' | 'nothing'
  readonly rule?: string
  readonly source?: Source
}

/** @param context with links, if they are to count */
export function explain(request: AuthorizeRequest, context: DecideContext): Explanation {
  const { decision } = decide(request, context)
  const { rules, grants, mode, links, readOnlyCommands } = context
  // What the call names, and not where it leads.
  const { links: _, ...unlinked } = context
  const reading = readRequest(request, unlinked)
  const { command } = reading
  const readable = command === undefined || command === 'unreadable' ? undefined : command
  const tools = [rules, ...(grants ? [grants] : [])].map((each) => each.ofTool(request.tool))
  const line = readable && judgeLine(readable, tools, context)
  const effects = readable?.analysis.effects ?? []
  const touched = effects.flatMap(({ path }) => (path === undefined ? [] : [path]))
  const unasked = decision.behavior === 'allow'
  return {
    decision,
    mode,
    cwd: rules.host.cwd,
    units: (readable?.units ?? []).map(({ unit }, index): ExplainedUnit => {
      const { argv, cwd, env, via, span, transparent, readOnly } = unit
      const by = line?.grants[index]?.by
      const base = { argv, cwd, env, via, span }
      if (by) return { ...base, allowedBy: 'rule', rule: by.compiled.rule.text, source: by.source }
      return { ...base, allowedBy: transparent ? 'transparent' : readOnly && readOnlyCommands ? 'reads' : 'nothing' }
    }),
    effects,
    unknowns: (readable?.analysis.unknowns ?? []).map((unknown) => ({
      ...unknown,
      answered: !line?.unknowns.includes(unknown),
    })),
    critical: readable?.analysis.critical ?? [],
    paths: [...new Set([...(reading.paths ?? []), ...touched])].map((path) => {
      const leadsTo = links?.get(path)
      return leadsTo === undefined ? { path } : { path, leadsTo }
    }),
    narrowest: unasked ? [] : suggestRules(request, context),
  }
}
