import { frozenCopy } from './json.js'
import type { ModelErrorKind } from './model-error.js'
import { ABORTED, type Reply, streamOnce } from './model-stream.js'
import type { RunContext } from './run-context.js'
import { keepSpent } from './sessions/spent.js'
import { pause } from './signals.js'
import { nothingSpent, spend } from './spending.js'
import { type LiveSpan, startSpan } from './trace.js'
import type { ModelRequest } from './types.js'

const FIRST_RETRY_MS = 1000
/** Longer than this nobody is waited for, whatever the other side asks. */
const MAX_RETRY_MS = 60_000

/** Other errors come again. */
const WORTH_A_RETRY: ReadonlySet<ModelErrorKind> = new Set(['overloaded', 'rate_limit', 'network', 'no_answer'])

/**
 * One model call, which is one step. A call that fails before it has given anything is repeated, if the limits say so.
 * Pieces of text are told as they come; of a reply that is remembered the whole text is.
 * @param step its name, unique in the run
 */
export async function askModel(
  run: RunContext,
  request: ModelRequest,
  step: string = `model:${run.turns}`,
): Promise<Reply> {
  const span = tellModelStart(run, request)
  let live = false
  let reply: Reply | undefined
  try {
    reply = await run.durable.step(step, () => {
      live = true
      return streamWithRetries(run, request)
    })
    if (!live) reply = frozenCopy(reply)
    if (!live && reply.text !== '') run.emit('text', { text: reply.text })
    spend(run.used, reply)
    if (run.used !== run.spent) spend(run.spent, reply)
    return reply
  } finally {
    tellModelEnd(run, reply, span)
  }
}

/**
 * One model call for somebody else, beside the turns: it is a part of the step in which they ask. Nothing of what it says
 * is told, and what it uses counts in the run.
 * @param by who asks
 */
export async function askBeside(run: RunContext, request: ModelRequest, by: string): Promise<Reply> {
  const span = tellModelStart(run, request, by)
  const quiet: RunContext['emit'] = (type, fields) => {
    if (type === 'notice') run.emit(type, fields)
  }
  const reply = await streamWithRetries({ ...run, emit: quiet }, request)
  spend(run.spent, reply)
  spend(run.unclaimed, reply)
  keepSpent(run, reply)
  tellModelEnd(run, reply, span, by)
  return reply
}

function tellModelStart(run: RunContext, { effort }: ModelRequest, by?: string): LiveSpan | undefined {
  const { turns: turn, model } = run
  const asker = by === undefined ? {} : { by }
  run.emit('model_start', { turn, model: model.id, ...(effort === undefined ? {} : { effort }), ...asker })
  return startSpan(run, `chat ${model.id}`, run.span, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model.id,
    'gen_ai.conversation.id': run.session.ref.id,
    ...(by === undefined ? {} : { 'ext.model.by': by }),
  })
}

/** @param reply `undefined`: the engine behind the steps has failed */
function tellModelEnd(run: RunContext, reply: Reply | undefined, span: LiveSpan | undefined, by?: string): void {
  const { durationMs = 0, firstMs, inputTokens = 0, outputTokens = 0, costUsd } = reply ?? {}
  const { cacheReadTokens, cacheWriteTokens, cut } = reply ?? {}
  const error = reply ? reply.broken?.kind : 'internal'
  run.emit('model_end', {
    turn: run.turns,
    duration_ms: durationMs,
    ...(firstMs === undefined ? {} : { ttft_ms: firstMs }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cache_read_tokens: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    ...(cut === undefined ? {} : { cut }),
    ...(error === undefined ? {} : { error }),
    ...(by === undefined ? {} : { by }),
  })
  span?.set({
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cacheReadTokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(costUsd === undefined ? {} : { 'ext.usage.cost_usd': costUsd }),
  })
  // Whoever has asked for it is told by their answer.
  if (cut !== undefined && by === undefined) run.emit('notice', { text: CUT[cut] })
  span?.end(error)
}

const CUT = {
  length: 'The answer of the model ends at its limit of output tokens, so the end of it is missing.',
  filter: 'A filter of the provider has cut off the answer of the model.',
} as const

async function streamWithRetries(run: RunContext, request: ModelRequest): Promise<Reply> {
  const sum = nothingSpent()
  for (let retry = 0; ; retry++) {
    const attempt = await streamOnce(run, request)
    // What a failed attempt has used is paid for as well.
    spend(sum, attempt)
    const { inputTokens, outputTokens, costUsd } = sum
    const reply = { ...attempt, inputTokens, outputTokens, ...(costUsd === undefined ? {} : { costUsd }) }
    const { broken } = reply
    const isSilent = reply.text === '' && reply.calls.length === 0
    if (!broken || !isSilent || broken.kind === 'aborted' || !WORTH_A_RETRY.has(broken.kind)) return reply
    if (retry >= run.agent.limits.modelRetries) return reply
    const waitMs = Math.min(broken.retryAfterMs ?? FIRST_RETRY_MS * 2 ** retry, MAX_RETRY_MS)
    run.emit('notice', { text: `The model failed and is asked again in ${waitMs} ms: ${broken.message}` })
    try {
      await pause(run.agent.clock, waitMs, run.signal)
    } catch {
      return { ...reply, broken: ABORTED }
    }
  }
}
