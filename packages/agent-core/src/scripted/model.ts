import { ExtError } from '@ext/kernel'
import { textOf } from '../call/content.js'
import { ModelError } from '../model-error.js'
import type { Message, Model, ModelEvent, ModelRequest, ToolMessageResult } from '../types.js'
import type { Script, ScriptTurn } from './script.js'

/** Of each text that a departure shows. */
const MAX_SHOWN = 500

/**
 * A model that plays a script. Where it stands is read from the conversation, so one model serves many sessions and their
 * sub-agents. When the conversation departs from the script, the stream throws `agent-core.script.departed`, and the
 * message shows what was expected and what was sent.
 * @param options.id default `scripted`
 */
export function scriptedModel(script: Script, options: { readonly id?: string } = {}): Model {
  return {
    id: options.id ?? 'scripted',
    async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
      const part = partFor(script, messages)
      const index = turnsTaken(messages, part.start)
      const turn = turnAt(part.turns, index)
      const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
      if (!turn) {
        const { length } = part.turns
        throw departure(`The conversation is at turn ${index + 1}, and ${part.name} ends with turn ${length}.`, newest)
      }
      const missing = missingPart(turn, newest)
      if (missing !== undefined) {
        throw departure(`Turn ${index + 1} of ${part.name} expects ${missing}.`, newest)
      }
      yield* play(turn, `call_${part.mark}${index + 1}`)
    },
  }
}

/** The turns that a conversation is played with. */
interface Part {
  /** For messages. */
  readonly name: string
  /** What tells its calls from those of other parts. */
  readonly mark: string
  readonly turns: readonly ScriptTurn[]
  /** Index of its first message; what a sub-agent was shown of another conversation stands before it. */
  readonly start: number
}

function partFor({ turns, agents = [] }: Script, messages: readonly Message[]): Part {
  for (const [index, agent] of agents.entries()) {
    const start = messages.findIndex(
      (message) => message.role === 'user' && textOf(message.content).includes(agent.when.contains),
    )
    if (start === -1) continue
    return { name: `script ${index + 1} of \`agents\``, mark: `a${index + 1}_`, turns: agent.turns, start }
  }
  return { name: 'the script', mark: '', turns, start: 0 }
}

function turnsTaken(messages: readonly Message[], start: number): number {
  let taken = 0
  for (let index = start; index < messages.length; index++) if (messages[index]?.role === 'assistant') taken++
  return taken
}

function turnAt(turns: readonly ScriptTurn[], index: number): ScriptTurn | undefined {
  const last = turns.at(-1)
  return turns[index] ?? (last?.loop ? last : undefined)
}

function* play({ think, say, calls = [], usage, fail }: ScriptTurn, callId: string): Generator<ModelEvent> {
  if (think !== undefined) yield { type: 'reasoning', text: think }
  if (say !== undefined) yield { type: 'text', text: say }
  for (const [position, { tool, input }] of calls.entries()) {
    yield { type: 'tool_call', id: `${callId}_${position + 1}`, name: tool, input }
  }
  if (usage) yield { type: 'usage', ...usage }
  if (!fail) return
  const { kind, message, retryAfterMs } = fail
  throw new ModelError(kind, message, retryAfterMs === undefined ? {} : { retryAfterMs })
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
