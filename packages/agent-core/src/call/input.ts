import { describe, isMap } from '@ext/kernel'
import type { SchemaValidator } from '@ext/kernel/ajv'
import type { JsonObject, JsonSchema } from '@ext/kernel/contract'

/** More problems than this help no model. */
const MAX_PROBLEMS = 10

/**
 * Deeper than inputs are, and far from where a walk through it overflows the stack: a guard that can't read the input
 * could not refuse it.
 */
const MAX_DEPTH = 200

export type CheckedInput =
  | { readonly input: JsonObject; readonly problem?: undefined }
  | { readonly input?: undefined; readonly problem: string }

/** Gives the input that everything after works on, or says what is wrong with it in words for the model. */
export function checkInput(
  validator: SchemaValidator,
  tool: { readonly name: string; readonly inputSchema: JsonSchema },
  given: unknown,
): CheckedInput {
  if (!isMap(given)) return { problem: `The input of ${tool.name} must be an object; it is ${describe(given)}.` }
  if (isDeeper(given, MAX_DEPTH)) {
    return { problem: `The input of ${tool.name} is nested deeper than ${MAX_DEPTH} levels.` }
  }
  const check = validator.compile(tool.inputSchema)
  if (typeof check !== 'function') {
    return { problem: `${tool.name} can't be used: its input schema is not valid (${check.problem}).` }
  }
  const input = frozenCopy(given)
  const problems = check(input)
  if (problems.length === 0) return { input }
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ pointer, message }) => `- ${pointer || 'the input'} ${message}`)
  if (problems.length > lines.length) lines.push(`- and ${problems.length - lines.length} more`)
  return { problem: [`The input does not fit the schema of ${tool.name}:`, ...lines].join('\n') }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1))
}

/**
 * A copy that nobody can change: what was validated is what hooks and gate see and what runs, even if one of them
 * writes into the object that it was given.
 */
function frozenCopy(input: Readonly<Record<string, unknown>>): JsonObject {
  return copy(input) as JsonObject
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(copy))
  if (!isMap(value)) return value
  // `fromEntries` defines a key named `__proto__` as plain data, where an assignment would set the prototype.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)])))
}
