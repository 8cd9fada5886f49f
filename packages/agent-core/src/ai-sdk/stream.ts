import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
  SharedV3Warning,
} from '@ai-sdk/provider'
import { ModelError } from '../model-error.js'
import type { ModelEvent } from '../types.js'
import { createKeeper } from './keeper.js'
import { keep } from './kept.js'

export interface StreamContext {
  readonly reader: string
  readonly keepReasoning: boolean
  warn(text: string): void
}

/**
 * The parts of an answer as events. Calls come once the answer is over: when it breaks off, some of them are only half of
 * what the model meant, and those are left out.
 */
export async function* streamEvents(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  { reader, keepReasoning, warn }: StreamContext,
): AsyncGenerator<ModelEvent> {
  const parts = stream.getReader()
  const calls: LanguageModelV3ToolCall[] = []
  const keeper = createKeeper()
  let finish: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined
  let failure: { readonly error: unknown } | undefined
  try {
    while (!failure) {
      const { done, value: part } = await parts.read()
      if (done) break
      keeper.add(part)
      if (part.type === 'text-delta') {
        if (part.delta !== '') yield { type: 'text', text: part.delta }
      } else if (part.type === 'reasoning-delta') {
        // A thought that is sealed comes without words.
        yield part.delta === '' ? WORKING : { type: 'reasoning', text: part.delta }
      } else if (part.type === 'tool-call' && !part.providerExecuted) calls.push(part)
      else if (part.type === 'tool-input-delta') yield WORKING
      else if (part.type === 'finish') finish = part
      else if (part.type === 'error') failure = { error: part.error }
      else if (part.type === 'stream-start') for (const warning of part.warnings) warn(describeWarning(warning))
      else if (LEFT_OUT.has(part.type)) warn(`The model has sent a part of the kind ${part.type}, which is left out.`)
    }
  } catch (error) {
    failure = { error }
  } finally {
    // Also when whoever reads has left.
    parts.cancel().catch(() => {})
  }
  failure ??= unfinished(finish)
  const whole = failure ? calls.filter(isWhole) : calls
  for (const call of whole) {
    yield { type: 'tool_call', id: call.toolCallId, name: call.toolName, input: inputOf(call.input) }
  }
  const meta = keepReasoning
    ? keep(reader, keeper.parts(new Set(whole.map(({ toolCallId }) => toolCallId))))
    : undefined
  if (meta) yield { type: 'meta', meta }
  const usage = finish && usageOf(finish.usage)
  if (usage) yield usage
  if (failure) throw failure.error
  const by = CUTS[finish?.finishReason.unified ?? 'stop']
  if (by) yield { type: 'cut', by }
}

const WORKING: ModelEvent = Object.freeze({ type: 'working' })

/** An answer whose end was not told broke off, however quietly. */
function unfinished(finish: { readonly finishReason: LanguageModelV3FinishReason } | undefined) {
  const { unified, raw } = finish?.finishReason ?? {}
  if (unified === 'error') {
    return { error: new ModelError('unknown', `The model ended its answer with an error${raw ? `: ${raw}` : ''}.`) }
  }
  if (unified !== undefined && (unified !== 'other' || raw !== undefined)) return undefined
  return { error: new ModelError('network', 'The answer broke off: its stream ended before its end was told.') }
}

const CUTS: Partial<Record<LanguageModelV3FinishReason['unified'], 'length' | 'filter'>> = {
  length: 'length',
  'content-filter': 'filter',
}

const LEFT_OUT: ReadonlySet<string> = new Set(['file', 'source', 'tool-result', 'tool-approval-request'])

/** Of a call that broke off before its input began, nobody knows whether it has one. */
function isWhole({ input }: LanguageModelV3ToolCall): boolean {
  return input.trim() !== '' && typeof inputOf(input) !== 'string'
}

/** What is no JSON stays a text, which is rejected with a message to the model. */
function inputOf(json: string): unknown {
  if (json.trim() === '') return {}
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): ModelEvent | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  const { cacheRead, cacheWrite } = inputTokens
  return {
    type: 'usage',
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(cacheRead ? { cacheReadTokens: cacheRead } : {}),
    ...(cacheWrite ? { cacheWriteTokens: cacheWrite } : {}),
  }
}

function describeWarning(warning: SharedV3Warning): string {
  if (warning.type === 'other') return warning.message
  const details = 'details' in warning && warning.details ? ` ${warning.details}` : ''
  return `The provider does not fully support \`${warning.feature}\`.${details}`
}
