import type { ToolResult } from '@ext/kernel/contract'
import { failure } from '../results/failure.js'

/** It says itself that it has none. */
export function notProvided(server: string, what: 'resources' | 'prompts' | 'subscriptions'): ToolResult {
  const text =
    what === 'subscriptions'
      ? `The server \`${server}\` does not tell when resources change.`
      : `The server \`${server}\` has no ${what}.`
  const hint = what === 'subscriptions' ? 'Read the resource again from time to time.' : 'Go on without them.'
  return failure({ server, phase: 'find', kind: 'protocol', text, hint })
}

/** @param known servers that are configured */
export function unknownServer(server: string, known: readonly string[]): ToolResult {
  const names = known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`
  return failure({ phase: 'find', kind: 'protocol', text: `There is no server \`${server}\`.`, hint: names })
}

/** What a list lacks. @param left how many entries were none */
export function incomplete(server: string, what: string, left: number, cut: string | undefined): readonly string[] {
  const many = left === 1 ? 'an entry' : `${left} entries`
  return [
    ...(left > 0
      ? [`The list of ${what} of \`${server}\` has ${many} without an address or name, or double; left out.`]
      : []),
    ...(cut === undefined ? [] : [`The list of ${what} of \`${server}\` was cut off: ${cut}.`]),
  ]
}

/** All that a failure says. */
export function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join(' ')
}
