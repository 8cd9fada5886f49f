import { ExtError, isMap, messageOf } from '@ext/kernel'
import type { RequestedCall } from './call/call.js'
import { ModelError, type ModelErrorKind, modelErrorOf } from './model-error.js'
import type { RunContext } from './run-context.js'
import { pause } from './signals.js'
import { startSpan } from './trace.js'
import type { ModelEvent, ModelRequest } from './types.js'

const FIRST_RETRY_MS = 1000
/** Longer than this nobody is waited for, whatever the other side asks. */
const MAX_RETRY_MS = 60_000

/** Other errors come again. */
const WORTH_A_RETRY: ReadonlySet<ModelErrorKind> = new Set(['overloaded', 'rate_limit', 'network', 'no_answer'])

/** What came from the model, complete or not. */
export interface Reply {
  readonly text: string
  readonly calls: readonly RequestedCall[]
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd?: number
  readonly durationMs: number
  readonly firstMs?: number
  /** Set when the stream broke off: with an error of the model, or because the run was aborted. */
  readonly broken?: Broken
}

interface Broken {
  readonly kind: ModelErrorKind | 'aborted'
  readonly message: string
  readonly retryAfterMs?: number
}

/**
 * One model call, which is one step. A call that fails before it has given anything is repeated, if the limits say so.
 * Pieces of text are told as they come; of a reply that is remembered the whole text is.
 */
export async function askModel(run: RunContext, request: ModelRequest): Promise<Reply> {
  const turn = run.turns
  const model = run.model.id
  run.emit('model_start', { turn, model })
  const span = startSpan(run, `chat ${model}`, run.span, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': run.session.ref.id,
  })
  let live = false
  const reply = await run.durable.step(`model:${turn}`, () => {
    live = true
    return streamWithRetries(run, request)
  })
  if (!live && reply.text !== '') run.emit('text', { text: reply.text })
  count(run, reply)
  const { durationMs, firstMs, inputTokens, outputTokens, costUsd, broken } = reply
  run.emit('model_end', {
    turn,
    duration_ms: durationMs,
    ...(firstMs === undefined ? {} : { ttft_ms: firstMs }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    ...(broken ? { error: broken.kind } : {}),
  })
  span?.set({ 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens })
  span?.end(broken?.kind)
  return reply
}

function count({ used, spent }: RunContext, { inputTokens, outputTokens, costUsd }: Reply): void {
  for (const sum of used === spent ? [used] : [used, spent]) {
    sum.inputTokens += inputTokens
    sum.outputTokens += outputTokens
    if (costUsd !== undefined) sum.costUsd = (sum.costUsd ?? 0) + costUsd
  }
}

async function streamWithRetries(run: RunContext, request: ModelRequest): Promise<Reply> {
  for (let retry = 0; ; retry++) {
    const { reply, silent } = await stream(run, request)
    const { broken } = reply
    if (!broken || !silent || broken.kind === 'aborted' || !WORTH_A_RETRY.has(broken.kind)) return reply
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

const ABORTED: Broken = { kind: 'aborted', message: 'the run was aborted' }

async function stream(
  run: RunContext,
  request: ModelRequest,
): Promise<{ readonly reply: Reply; readonly silent: boolean }> {
  const { clock, limits } = run.agent
  const started = clock.now()
  const silence = silenceLimit(run, limits.modelSilenceMs)
  let text = ''
  const calls: RequestedCall[] = []
  let usage: Omit<Extract<ModelEvent, { type: 'usage' }>, 'type'> = { inputTokens: 0, outputTokens: 0 }
  let firstMs: number | undefined
  let events: AsyncIterator<ModelEvent> | undefined
  const end = (broken?: Broken) => {
    silence.release()
    const { inputTokens, outputTokens, costUsd } = usage
    const reply: Reply = {
      text,
      calls: withOwnIds(calls, run.turns),
      inputTokens,
      outputTokens,
      ...(costUsd === undefined ? {} : { costUsd }),
      durationMs: clock.now() - started,
      ...(firstMs === undefined ? {} : { firstMs }),
      ...(broken ? { broken } : {}),
    }
    return { reply, silent: text === '' && calls.length === 0 }
  }
  try {
    events = run.model.stream(request, { signal: silence.signal })[Symbol.asyncIterator]()
    for (;;) {
      const next = await silence.hold(events.next())
      if (next.done) return end()
      silence.heard()
      firstMs ??= clock.now() - started
      const event = checkedEvent(next.value)
      if (event.type === 'text') {
        text += event.text
        run.emit('text', { text: event.text })
      } else if (event.type === 'tool_call') {
        // A step remembers JSON, and `undefined` is none.
        calls.push({ id: event.id, name: event.name, input: event.input ?? null })
      } else if (event.type === 'usage') usage = addUsage(usage, event)
    }
  } catch (error) {
    if (silence.signal.aborted) leave(events)
    if (run.signal.aborted) return end(ABORTED)
    if (silence.signal.aborted) {
      return end({ kind: 'no_answer', message: `it was silent for ${limits.modelSilenceMs} ms` })
    }
    return end({ ...modelErrorOf(error), message: messageOf(error) })
  }
}

/** Ends the waiting with the run, and when nothing was heard for too long. One timer, however many events come. */
function silenceLimit(run: RunContext, ms: number) {
  const { clock } = run.agent
  const controller = new AbortController()
  let giveUp = (_reason: unknown) => {}
  const stop = (reason: unknown) => {
    controller.abort(reason)
    giveUp(reason)
  }
  const follow = () => stop(run.signal.reason)
  if (run.signal.aborted) follow()
  else run.signal.addEventListener('abort', follow)
  let heardAt = clock.now()
  let cancel = () => {}
  const watch = (wait: number) => {
    cancel = clock.after(wait, () => {
      const left = heardAt + ms - clock.now()
      if (left > 0) watch(left)
      else stop(new ModelError('no_answer', `It was silent for ${ms} ms.`))
    })
  }
  watch(ms)
  return {
    signal: controller.signal,
    /** Settles as the next event does, or rejects when there is no more waiting. */
    hold: <T>(next: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        giveUp = reject
        if (controller.signal.aborted) reject(controller.signal.reason)
        Promise.resolve(next).then(resolve, reject)
      }),
    heard: () => {
      heardAt = clock.now()
    },
    release() {
      cancel()
      run.signal.removeEventListener('abort', follow)
    },
  }
}

/** A model in plain JavaScript can send anything. */
function checkedEvent(event: unknown): ModelEvent {
  if (!isMap(event)) throw badEvent('something that is no event')
  const { type } = event
  if (type === 'text' && typeof event['text'] !== 'string') throw badEvent('a piece of text without its text')
  if (type === 'tool_call' && (typeof event['id'] !== 'string' || typeof event['name'] !== 'string')) {
    throw badEvent('a tool call without an id or without a name')
  }
  if (type === 'usage' && !['inputTokens', 'outputTokens'].every((key) => Number.isFinite(event[key]))) {
    throw badEvent('a usage without numbers of tokens')
  }
  return event as unknown as ModelEvent
}

function badEvent(what: string): ExtError {
  return new ExtError('agent-core.model.event', `it sent ${what}`)
}

function addUsage(
  sum: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number },
  more: typeof sum,
): typeof sum {
  const costUsd = more.costUsd === undefined ? sum.costUsd : (sum.costUsd ?? 0) + more.costUsd
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  }
}

/** Results find their calls by id, so no two calls of a turn may share one. */
function withOwnIds(calls: readonly RequestedCall[], turn: number): readonly RequestedCall[] {
  const taken = new Set<string>()
  return calls.map((call, index) => {
    let id = call.id === '' ? `call_${turn}_${index + 1}` : call.id
    for (let count = 2; taken.has(id); count++) id = `${call.id}~${count}`
    taken.add(id)
    return id === call.id ? call : { ...call, id }
  })
}

/** Tells the stream that nobody reads on. Not awaited: a model that ignores its signal may ignore this too. */
function leave(events: AsyncIterator<ModelEvent> | undefined): void {
  Promise.resolve()
    .then(() => events?.return?.())
    .catch(() => {})
}
