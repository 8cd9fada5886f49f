import type { PermissionMode, SessionRef, ToolInfo, ToolKind, TraceStep } from '@ext/kernel/contract'

export interface ModeQuestion {
  readonly mode: PermissionMode
  readonly origin: SessionRef['origin']
  readonly kind: ToolKind
  /** Every path of the call lies in the workspace; false when it has none. */
  readonly inside: boolean
  /** A command line of which everything only reads. */
  readonly reads: boolean
  /** A command line of which everything only reads that no rule allows. */
  readonly restReads: boolean
  /** Such command lines run without a rule, and so do tools that only read in the workspace. */
  readonly readOnlyCommands: boolean
  /** The strictest that floors and rules have said. */
  readonly soFar: TraceStep
}

/**
 * What a tool does, as far as it is believed. What a server says of its tool counts only when the server is trusted;
 * what is not known is the strictest.
 */
export function kindOf({ kind, source, annotations }: ToolInfo): ToolKind {
  if (source.server === undefined) return KINDS.has(kind) ? kind : 'exec'
  if (kind === 'edit' || kind === 'network') return kind
  return kind === 'read' && annotations.readOnly === true && source.trusted === true ? 'read' : 'exec'
}

const KINDS: ReadonlySet<ToolKind> = new Set(['read', 'edit', 'exec', 'network', 'meta'])

/** Mode × kind of tool. A mode can forbid whatever the rules say, but answers yes only where they are silent. */
export function modeStep({
  mode,
  origin,
  kind,
  inside,
  reads,
  restReads,
  readOnlyCommands,
  soFar,
}: ModeQuestion): TraceStep {
  const step = (verdict: TraceStep['verdict'], reason: string): TraceStep => ({ layer: 'mode', verdict, reason })
  if (mode === 'plan' && !reads) {
    if (kind === 'edit' || kind === 'exec') {
      return step('deny', `In mode plan nothing is changed, and a tool of kind ${kind} may change something.`)
    }
    if (kind === 'network' && origin === 'agent') {
      return step('deny', 'A sub-agent in mode plan may use nothing but what only reads, and this leaves the machine.')
    }
  }
  if (soFar.verdict === 'none') {
    if (mode === 'bypassPermissions') return step('allow', 'In mode bypassPermissions only what rules name is asked.')
    if (kind === 'meta') return step('allow', 'A tool of kind meta changes nothing but the agent itself.')
    if (restReads && readOnlyCommands) {
      return step('allow', 'Every command of the line only reads, but for those that a rule allows.')
    }
    if (kind === 'read' && inside) {
      if (mode === 'plan') return step('allow', 'In mode plan everything in the workspace may be read.')
      if (readOnlyCommands) return step('allow', 'It only reads, and in the workspace, as commands may that only read.')
    }
    if (mode === 'acceptEdits' && kind === 'edit' && inside) {
      return step('allow', 'In mode acceptEdits files in the workspace may be edited.')
    }
  }
  if (mode === 'dontAsk' && (soFar.verdict === 'none' || soFar.verdict === 'ask')) {
    const why = soFar.verdict === 'none' ? 'No rule allows this call.' : soFar.reason
    return step('deny', `In mode dontAsk nobody is asked, and this call would have to be. ${why}`)
  }
  return step('none', `Mode ${mode} says nothing about this call (kind ${kind}).`)
}
