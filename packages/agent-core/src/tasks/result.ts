import type { BackgroundStart, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'

const MAX_SUBJECT = 120
/** How long a line about a call of a sub-agent may be. */
const MAX_LINE = 200
/** Characters of what a task has put out that the model is told without asking. */
export const TOLD = 8000

/** What a model is told that has started something in the background. */
export function startResult({ id, problem }: BackgroundStart): ToolResult {
  if (problem !== undefined) return { content: [textBlock(`Not started: ${problem}`)], isError: true }
  const text = `Started in the background as ${id}. You are told when it has ended; task_output shows what it has put out.`
  return { content: [textBlock(text)], isError: false }
}

/** A text as the subject of a task. */
export function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > MAX_SUBJECT ? `${line.slice(0, MAX_SUBJECT)}…` : line
}

/** A call of a sub-agent in one line. */
export function callLine(tool: unknown, input: unknown): string {
  const line = `${tool} ${JSON.stringify(input)}`
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line
}
