import { sha256 } from '../digest.js'
import type { ModelRequest } from '../types.js'

/** A request as texts that can be compared: the same meaning is the same text. */
export interface RequestMarks {
  /** Of the whole request. */
  readonly digest: string
  readonly system: string
  readonly tools: string
  readonly messages: readonly string[]
}

/** Marks requests. A message that has been marked is not looked at again, so a long conversation costs what is new in it. */
export type Marker = (request: ModelRequest) => Promise<RequestMarks>

export function createMarker(): Marker {
  const known = new WeakMap<object, string>()
  const mark = async (part: object) => {
    const digest = await sha256(part)
    known.set(part, digest)
    return digest
  }
  return async ({ system, tools, messages }) => {
    const marks: string[] = []
    for (const part of [tools, ...messages]) marks.push(known.get(part) ?? (await mark(part)))
    const [ofTools = '', ...ofMessages] = marks
    return { digest: `sha256:${await sha256([system, marks])}`, system, tools: ofTools, messages: ofMessages }
  }
}

/** How many messages at the start are the same. */
export function commonMessages(a: RequestMarks, b: RequestMarks): number {
  const end = Math.min(a.messages.length, b.messages.length)
  let index = 0
  while (index < end && a.messages[index] === b.messages[index]) index++
  return index
}
