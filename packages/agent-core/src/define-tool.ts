import type {
  JsonObject,
  JsonValue,
  Tool,
  ToolAnnotations,
  ToolContext,
  ToolKind,
  ToolResult,
} from '@ext/kernel/contract'
import { textBlock } from './call/content.js'

/** The input type that a JSON Schema literal describes; parts that it can't read are any JSON. */
export type InputOf<S> = S extends { readonly enum: readonly (infer V)[] }
  ? V
  : S extends { readonly type: 'object'; readonly properties: infer P }
    ? { readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: InputOf<P[K]> } & {
        readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: InputOf<P[K]>
      }
    : S extends { readonly type: 'object' }
      ? JsonObject
      : S extends { readonly type: 'array'; readonly items: infer I }
        ? readonly InputOf<I>[]
        : S extends { readonly type: 'string' }
          ? string
          : S extends { readonly type: 'number' | 'integer' }
            ? number
            : S extends { readonly type: 'boolean' }
              ? boolean
              : JsonValue

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never

type ObjectSchema = { readonly type: 'object'; readonly [key: string]: unknown }

export interface ToolDefinition<S extends ObjectSchema> {
  readonly name: string
  /** What people are shown instead of the name. */
  readonly title?: string
  readonly description: string
  readonly kind: ToolKind
  readonly inputSchema: S
  /** Default: what follows from `kind`, on the careful side. */
  readonly annotations?: Partial<ToolAnnotations>
  /** A text is a result without error. Failures that the model can act on are results with `isError`. */
  run(input: InputOf<S>, context: ToolContext): Promise<ToolResult | string>
}

/** Makes a tool of the host's own code: it is trusted, and `input` has the type that the schema describes. */
export function defineTool<const S extends ObjectSchema>(definition: ToolDefinition<S>): Tool {
  const { name, title, description, kind, inputSchema, annotations } = definition
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    kind,
    inputSchema,
    annotations: {
      readOnly: kind === 'read',
      destructive: kind === 'edit' || kind === 'exec',
      idempotent: kind === 'read',
      openWorld: kind === 'network' || kind === 'exec',
      ...annotations,
    },
    source: { tool: name, trusted: true },
    async run(input, context) {
      // The agent has checked the input against the schema before it calls.
      const result = await definition.run(input as InputOf<S>, context)
      return typeof result === 'string' ? { content: [textBlock(result)], isError: false } : result
    },
  }
}
