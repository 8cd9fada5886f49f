import type { ToolResult } from '@ext/kernel/contract'
import type { FailureKind } from '../types.js'

/** What was going on when it failed. */
type Phase = 'find' | 'connect' | 'call'

interface Failure {
  readonly server?: string
  readonly phase: Phase
  readonly kind: FailureKind
  /** One sentence about what happened. */
  readonly text: string
  /** What the model, or the person behind it, can do about it. */
  readonly hint: string
}

export function failure({ server, phase, kind, text, hint }: Failure): ToolResult {
  return {
    content: [{ type: 'text', text: `${text} ${hint}` }],
    isError: true,
    meta: { ...(server === undefined ? {} : { server }), phase, kind, hint },
  }
}
