import { messageOf } from '@ext/kernel'
import type { JsonObject, JsonValue } from '@ext/kernel/contract'
import { MAX_DEPTH, TOO_DEEP } from './depth.js'
import { COMMON_FIELDS } from './output.js'
import type { ReplyProblem } from './types.js'

/** More values than any reply has; what refers to a part twice can have any number of them. */
const MAX_VALUES = 1_000_000

/**
 * The reply of a function as plain JSON, which nobody can change any more and nothing in it can throw. A field that has no
 * such form is left out, and is a problem. Functions and symbols within a field are left out, as JSON does.
 */
export function toPlainReply(answer: Readonly<Record<string, unknown>>): {
  readonly reply: JsonObject
  readonly problem?: ReplyProblem
} {
  const fields: [string, JsonValue][] = []
  let problem: ReplyProblem | undefined
  // Fields of a class may stand in its prototype.
  for (const key of new Set([...Object.keys(answer), ...COMMON_FIELDS.filter((field) => field in answer)])) {
    try {
      const value = answer[key]
      const copy = new Copier().copy(value, 0)
      if (copy !== undefined) fields.push([key, copy])
      else if (value !== undefined) throw new Error(`it is a ${typeof value}`)
    } catch (error) {
      problem ??= { cause: `wrong type of ${key}`, detail: messageOf(error) }
    }
  }
  const reply = Object.fromEntries(fields)
  return problem ? { reply, problem } : { reply }
}

class Copier {
  #values = 0

  copy(value: unknown, depth: number): JsonValue | undefined {
    if (++this.#values > MAX_VALUES) throw new Error(`it holds more than ${MAX_VALUES} values, or itself`)
    switch (typeof value) {
      case 'string':
      case 'number':
      case 'boolean':
        return value
      case 'bigint':
        throw new Error('it holds a bigint, which JSON has no form for')
      case 'object':
        return value === null ? null : this.#copyObject(value, depth)
      default:
        return undefined
    }
  }

  #copyObject(value: object, depth: number): JsonValue | undefined {
    if (depth === MAX_DEPTH) throw new Error(`it holds ${TOO_DEEP}, or itself`)
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.copy(value.toJSON(), depth + 1)
    if (Array.isArray(value)) return value.map((part) => this.copy(part, depth + 1) ?? null)
    const entries = Object.entries(value).flatMap(([key, part]): [string, JsonValue][] => {
      const copy = this.copy(part, depth + 1)
      return copy === undefined ? [] : [[key, copy]]
    })
    return Object.fromEntries(entries)
  }
}
