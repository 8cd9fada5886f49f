import { describe, isMap } from '@ext/kernel'
import type { SchemaValidator } from '@ext/kernel/ajv'
import type { JsonObject, JsonSchema, JsonValue } from '@ext/kernel/contract'

/** More problems than this help no model. */
const MAX_PROBLEMS = 10

export type CheckedInput =
  | { readonly input: JsonObject; readonly problem?: undefined }
  | { readonly input?: undefined; readonly problem: string }

/**
 * Gives the input that everything after works on, or says what is wrong with it in words for the model.
 * @param given as `receive` gives it, so that nobody can change it any more
 */
export function checkInput(
  validator: SchemaValidator,
  tool: { readonly name: string; readonly inputSchema: JsonSchema },
  given: JsonValue,
): CheckedInput {
  if (!isMap(given)) return { problem: `The input of ${tool.name} must be an object; it is ${describe(given)}.` }
  const check = validator.compile(tool.inputSchema)
  if (typeof check !== 'function') {
    return { problem: `${tool.name} can't be used: its input schema is not valid (${check.problem}).` }
  }
  const input = given as JsonObject
  const problems = check(input)
  if (problems.length === 0) return { input }
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ pointer, message }) => `- ${pointer || 'the input'} ${message}`)
  if (problems.length > lines.length) lines.push(`- and ${problems.length - lines.length} more`)
  return { problem: [`The input does not fit the schema of ${tool.name}:`, ...lines].join('\n') }
}
