import type { ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../../call/content.js'

/** What the model can act on. */
export function problem(text: string): ToolResult {
  return { content: [textBlock(text)], isError: true }
}

export function done(text: string): ToolResult {
  return { content: [textBlock(text)], isError: false }
}

/** Remarks of a tool stand in brackets, so that they are not taken for content. */
export function withNotes(text: string, notes: readonly (string | undefined)[]): string {
  return [text, ...notes.flatMap((note) => (note === undefined ? [] : [`[${note}]`]))]
    .filter((part) => part !== '')
    .join('\n')
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`
}
