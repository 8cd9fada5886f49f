import type { PermissionMode, ToolKind, TraceStep } from '@ext/kernel/contract'

export interface ModeQuestion {
  readonly mode: PermissionMode
  readonly kind: ToolKind
  /** Every path of the call lies below the working folder; false when it has none. */
  readonly inside: boolean
  /** The strictest that rules and command have said. */
  readonly soFar: TraceStep
}

/** Mode × kind of tool. A mode can forbid whatever the rules say, but answers yes only where they are silent. */
export function modeStep({ mode, kind, inside, soFar }: ModeQuestion): TraceStep {
  const step = (verdict: TraceStep['verdict'], reason: string): TraceStep => ({ layer: 'mode', verdict, reason })
  if (mode === 'plan' && (kind === 'edit' || kind === 'exec')) {
    return step('deny', `In mode plan nothing is changed, and a tool of kind ${kind} may change something.`)
  }
  if (soFar.verdict === 'none') {
    if (mode === 'bypassPermissions') return step('allow', 'In mode bypassPermissions only what rules name is asked.')
    if (kind === 'meta') return step('allow', 'A tool of kind meta changes nothing but the agent itself.')
    if (mode === 'plan' && kind === 'read' && inside) {
      return step('allow', 'In mode plan everything in the working folder may be read.')
    }
    if (mode === 'acceptEdits' && kind === 'edit' && inside) {
      return step('allow', 'In mode acceptEdits files in the working folder may be edited.')
    }
  }
  if (mode === 'dontAsk' && (soFar.verdict === 'none' || soFar.verdict === 'ask')) {
    const why = soFar.verdict === 'none' ? 'No rule allows this call.' : soFar.reason
    return step('deny', `In mode dontAsk nobody is asked, and this call would have to be. ${why}`)
  }
  return step('none', `Mode ${mode} says nothing about this call (kind ${kind}).`)
}
