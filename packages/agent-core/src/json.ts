import type { JsonValue } from '@ext/kernel/contract'

/**
 * Deeper than inputs are, and far from where a walk through it overflows the stack: a guard that can't read the input
 * could not refuse it.
 */
export const MAX_DEPTH = 200

/** A value from outside as JSON that nobody can change, or why it is none. */
export type Received =
  | { readonly value: JsonValue; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }

/**
 * Copies and freezes a value: what was looked at is what hooks and gate see and what runs, even if one of them writes into
 * the object that it was given. `undefined` stands for null.
 */
export function receive(value: unknown): Received {
  if (isDeeper(value, MAX_DEPTH)) return { problem: `is nested deeper than ${MAX_DEPTH} levels` }
  const foreign = foreignPart(value)
  if (foreign !== undefined) return { problem: `holds ${foreign}, which is no JSON` }
  return { value: (copy(value) ?? null) as JsonValue }
}

/** The same of a value that is known to be JSON, or close to it. */
export function frozenCopy<T>(value: T): T {
  return copy(value) as T
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1))
}

function foreignPart(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    case 'number':
      return Number.isFinite(value) ? undefined : String(value)
    case 'object':
      for (const part of Object.values(value ?? {})) {
        const found = foreignPart(part)
        if (found !== undefined) return found
      }
      return undefined
    default:
      return undefined
  }
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((part) => copy(part) ?? null))
  // A spread takes a key named `__proto__` as plain data, and then an assignment does too.
  const result: Record<string, unknown> = { ...value }
  for (const key of Object.keys(result)) {
    const part = result[key]
    if (typeof part === 'object' && part !== null) result[key] = copy(part)
  }
  return Object.freeze(result)
}
