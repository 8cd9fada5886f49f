import type { JsonSchema } from '@ext/kernel/contract'

/** Whose rules a schema has to keep. */
export type Provider = 'anthropic' | 'openai' | 'gemini'

/** A schema as a provider takes it. */
export interface Adapted {
  readonly schema: JsonSchema
  /** What is different, in the order of the schema. */
  readonly changes: readonly SchemaChange[]
  /** Why no form of it can be offered, as the rest of a sentence about the tool. */
  readonly unusable?: string
}

/**
 * - `dropped`: the model may send what the original does not allow; that is found when the call is checked
 * - `narrowed`: it can't send all that the original allows
 */
export interface SchemaChange {
  readonly effect: 'dropped' | 'narrowed'
  /** JSON pointer into the original. */
  readonly pointer: string
  /** What was left out or taken instead, in words. */
  readonly what: string
}

/** Collects what is different. */
export class Changes {
  readonly #found = new Map<string, SchemaChange>()

  drop(pointer: string, what: string): void {
    this.#add({ effect: 'dropped', pointer, what })
  }

  narrow(pointer: string, what: string): void {
    this.#add({ effect: 'narrowed', pointer, what })
  }

  get found(): readonly SchemaChange[] {
    return [...this.#found.values()]
  }

  /** A part that is referred to twice is changed twice, and one change. */
  #add(change: SchemaChange): void {
    this.#found.set(JSON.stringify(change), change)
  }
}

/** A map in a schema, while it is rewritten. */
export type Part = Record<string, unknown>

/** Adds a sentence to the description, which is where a model reads what a schema can't say. */
export function describeIn(part: Part, sentence: string): Part {
  const { description } = part
  const before = typeof description === 'string' && description.trim() !== '' ? `${description.trim()} ` : ''
  return before.includes(sentence) ? part : { ...part, description: `${before}${sentence}` }
}
