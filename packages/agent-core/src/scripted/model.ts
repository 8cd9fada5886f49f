import { ExtError } from '@ext/kernel'
import { textOf } from '../call/content.js'
import type { Message, Model, ModelEvent, ModelRequest, ToolMessageResult } from '../types.js'
import type { Script, ScriptTurn } from './script.js'

/** Of each text that a departure shows. */
const MAX_SHOWN = 500

/**
 * A model that plays a script. Where it stands is read from the conversation, so one model serves many sessions. When
 * the conversation departs from the script, the stream throws `agent-core.script.departed`, and the message shows what
 * was expected and what was sent.
 * @param options.id default `scripted`
 */
export function scriptedModel(script: Script, options: { readonly id?: string } = {}): Model {
  return {
    id: options.id ?? 'scripted',
    async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
      const index = messages.filter(({ role }) => role === 'assistant').length
      const turn = turnAt(script, index)
      const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
      if (!turn) throw departure(`The script has only ${script.turns.length} turns; this is turn ${index + 1}.`, newest)
      const missing = missingPart(turn, newest)
      if (missing !== undefined) throw departure(`Turn ${index + 1} of the script expects ${missing}.`, newest)
      if (turn.say !== undefined) yield { type: 'text', text: turn.say }
      for (const [position, { tool, input }] of (turn.calls ?? []).entries()) {
        yield { type: 'tool_call', id: `call_${index + 1}_${position + 1}`, name: tool, input }
      }
    },
  }
}

function turnAt({ turns }: Script, index: number): ScriptTurn | undefined {
  const last = turns.at(-1)
  return turns[index] ?? (last?.loop ? last : undefined)
}

/** The first condition of the turn that does not hold, in words. */
function missingPart({ when }: ScriptTurn, newest: readonly Message[]): string | undefined {
  if (!when) return undefined
  const { contains, tool, isError } = when
  if (contains !== undefined && !textsOf(newest).some((text) => text.includes(contains))) {
    return `a text that contains ${JSON.stringify(contains)}`
  }
  if (tool === undefined && isError === undefined) return undefined
  const fits = ({ name, isError: failed }: ToolMessageResult) =>
    (tool === undefined || name === tool) && (isError === undefined || failed === isError)
  if (newest.some((message) => message.role === 'tool' && message.results.some(fits))) return undefined
  const kind = isError === undefined ? '' : isError ? ' that is an error' : ' that is no error'
  return `a result${tool === undefined ? '' : ` of ${tool}`}${kind}`
}

function departure(expected: string, newest: readonly Message[]): ExtError {
  const sent = newest.flatMap((message) => {
    if (message.role === 'user') return [`user: ${shown(textOf(message.content))}`]
    if (message.role === 'assistant') return []
    return message.results.map(
      ({ name, isError, content }) => `${isError ? 'error' : 'result'} of ${name}: ${shown(textOf(content))}`,
    )
  })
  return new ExtError(
    'agent-core.script.departed',
    [expected, 'It was sent:', ...sent.map((line) => `  ${line}`)].join('\n'),
  )
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role === 'user') return [textOf(message.content)]
    return message.role === 'tool' ? message.results.map(({ content }) => textOf(content)) : []
  })
}

function shown(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
