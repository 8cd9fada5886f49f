import { canonicalJson, isMap } from '@ext/kernel'
import type { JsonObject, JsonValue } from '@ext/kernel/contract'
import type { PinnedTool, ToolChange } from '../types.js'

/** The fields of a definition, in the order in which changes are shown. */
const FIELDS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/** What a model, a person or a rule could be led by: all that is approved of a tool. */
export function definitionOf(tool: Readonly<Record<string, unknown>>): PinnedTool {
  const { title, description, inputSchema, outputSchema, annotations } = tool
  return {
    ...(typeof title === 'string' ? { title } : {}),
    description: typeof description === 'string' ? description : '',
    inputSchema: isMap(inputSchema) ? (inputSchema as JsonObject) : {},
    ...(isMap(outputSchema) ? { outputSchema: outputSchema as JsonObject } : {}),
    ...(isMap(annotations) ? { annotations: annotations as JsonObject } : {}),
  }
}

/** What is different, field by field. The order of keys means nothing. */
export function changesOf(before: PinnedTool, after: PinnedTool): readonly ToolChange[] {
  return FIELDS.flatMap((field): readonly ToolChange[] => {
    const was: JsonValue | undefined = before[field]
    const is: JsonValue | undefined = after[field]
    if (canonicalJson(was) === canonicalJson(is)) return []
    return [{ field, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }]
  })
}

/**
 * Equal for two tools that do the same under different names. `undefined` for one that says nothing about itself, which many
 * could be the same as.
 */
export function contentKey({ description, inputSchema }: PinnedTool): string | undefined {
  const says = description.trim() !== '' || isMap(inputSchema['properties'])
  return says ? canonicalJson([description, inputSchema]) : undefined
}
