import { describe } from '@ext/kernel'
import type { JsonObject, JsonValue, ModelRequest, ModelResponse } from '@ext/kernel/contract'
import type { ReplyProblem } from './types.js'

/** What a hook would have in the place of something. An event has one thing at most that can be replaced. */
export type Rewrite =
  /** As a whole. */
  | { readonly field: 'updatedInput'; readonly value: JsonObject }
  | { readonly field: 'updatedToolOutput'; readonly value: JsonValue }
  /** Only the parts that change. */
  | { readonly field: PartsField; readonly value: JsonObject }

export type PartsField = 'updatedRequest' | 'updatedResponse'

type PartType = 'a text' | 'a list'

const PARTS: Readonly<Record<PartsField, ReadonlyMap<string, PartType>>> = {
  updatedRequest: partTypes<Omit<ModelRequest, 'maxOutputTokens' | 'effort'>>({
    system: 'a text',
    messages: 'a list',
    tools: 'a list',
  }),
  updatedResponse: partTypes<ModelResponse>({ text: 'a text', calls: 'a list' }),
}

/** The parts of a request or response that can be replaced. What is in a list is looked at by whoever uses it. */
export function readParts(
  field: PartsField,
  written: JsonObject,
): { readonly value: JsonObject; readonly ignored: readonly string[]; readonly problem?: ReplyProblem } {
  const value: Record<string, JsonValue> = {}
  const ignored: string[] = []
  for (const [key, part] of Object.entries(written)) {
    if (part === null) continue
    const expected = PARTS[field].get(key)
    if (expected === undefined) ignored.push(`\`${field}.${key}\`, which is no part that can be replaced`)
    else if (expected === 'a text' ? typeof part === 'string' : Array.isArray(part)) value[key] = part
    else {
      const problem = { cause: `wrong type of ${field}.${key}`, detail: `it is ${describe(part)}; write ${expected}` }
      return { value, ignored, problem }
    }
  }
  return { value, ignored }
}

function partTypes<T>(types: Readonly<Record<keyof T, PartType>>): ReadonlyMap<string, PartType> {
  return new Map(Object.entries<PartType>(types))
}
