import type { PermissionMode } from '@ext/kernel/contract'

/** For each mode those that are looser in every respect. `plan` and `dontAsk` each allow what the other one does not. */
const LOOSER: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  plan: ['default', 'acceptEdits', 'bypassPermissions'],
  dontAsk: ['default', 'acceptEdits', 'bypassPermissions'],
  default: ['acceptEdits', 'bypassPermissions'],
  acceptEdits: ['bypassPermissions'],
  bypassPermissions: [],
}

export function isPermissionMode(mode: unknown): mode is PermissionMode {
  return typeof mode === 'string' && Object.hasOwn(LOOSER, mode)
}

/** Whether a mode allows less than another one, and nothing that the other one does not. */
export function isStricter(mode: PermissionMode, than: PermissionMode): boolean {
  return LOOSER[mode].includes(than)
}

export const PERMISSION_MODES: readonly string[] = Object.keys(LOOSER)
