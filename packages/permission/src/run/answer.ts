import { isMap } from '@ext/kernel'
import type { JsonObject, PermissionAnswer } from '@ext/kernel/contract'

/** An answer as it is used; `undefined` when it is none. Comes from foreign code, so nothing about it is certain. */
export function readAnswer(found: unknown): PermissionAnswer | undefined {
  if (!isMap(found)) return undefined
  const { behavior, reason, updatedInput, rules } = found as Readonly<Partial<Record<keyof PermissionAnswer, unknown>>>
  if (behavior !== 'allow' && behavior !== 'deny') return undefined
  if (updatedInput !== undefined && !isMap(updatedInput)) return undefined
  if (rules !== undefined && !isTexts(rules)) return undefined
  return {
    behavior,
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(updatedInput === undefined ? {} : { updatedInput: updatedInput as JsonObject }),
    ...(rules === undefined ? {} : { rules }),
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
