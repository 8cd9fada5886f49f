import { frozenCopy } from './json.js'
import type { ModelErrorKind } from './model-error.js'
import { ABORTED, type Reply, streamOnce } from './model-stream.js'
import type { RunContext } from './run-context.js'
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
 */
export async function askModel(run: RunContext, request: ModelRequest): Promise<Reply> {
  const turn = run.turns
  const model = run.model.id
  run.emit('model_start', { turn, model, ...(request.effort === undefined ? {} : { effort: request.effort }) })
  const span = startSpan(run, `chat ${model}`, run.span, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': run.session.ref.id,
  })
  let live = false
  let reply: Reply | undefined
  try {
    reply = await run.durable.step(`model:${turn}`, () => {
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

/** @param reply `undefined`: the engine behind the steps has failed */
function tellModelEnd(run: RunContext, reply: Reply | undefined, span: LiveSpan | undefined): void {
  const { durationMs = 0, firstMs, inputTokens = 0, outputTokens = 0, costUsd } = reply ?? {}
  const error = reply ? reply.broken?.kind : 'internal'
  run.emit('model_end', {
    turn: run.turns,
    duration_ms: durationMs,
    ...(firstMs === undefined ? {} : { ttft_ms: firstMs }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    ...(error === undefined ? {} : { error }),
  })
  span?.set({ 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens })
  span?.end(error)
}

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
