import type { ToolInfo } from '@ext/kernel/contract'

/** Calls that may be repeated are sent at most so often. */
export const MAX_SENDS = 4

/**
 * Whether a call may be sent again although the server may have done what it asked for: only tools that change nothing, or
 * nothing more the second time, and only if the server is trusted to say so.
 */
export function mayRepeat({ source, annotations }: Pick<ToolInfo, 'source' | 'annotations'>): boolean {
  return source.trusted && (annotations.readOnly || annotations.idempotent)
}

/**
 * Milliseconds before something is tried again: doubles from attempt to attempt, and half of it is left to chance, so that
 * those who failed together do not come back together.
 * @param attempt how many have failed, from 1
 * @param chance from 0 to 1
 */
export function backoffMs(attempt: number, { minMs, maxMs }: { minMs: number; maxMs: number }, chance: number): number {
  const full = Math.min(maxMs, minMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(full / 2 + (full / 2) * chance)
}
