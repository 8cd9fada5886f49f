import { ExtError, isMap, messageOf } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { RequestedCall } from './call/call.js'
import { receive } from './json.js'
import { ModelError, type ModelErrorKind, modelErrorOf } from './model-error.js'
import type { RunContext } from './run-context.js'
import { nothingSpent, spend } from './spending.js'
import type { CutBy, ModelEvent, ModelRequest } from './types.js'

/** What came from the model, complete or not. */
export interface Reply {
  readonly text: string
  readonly calls: readonly RequestedCall[]
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd?: number
  /** Parts of the input, as far as the model says. */
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly cut?: CutBy
  readonly meta?: JsonObject
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

export const ABORTED: Broken = { kind: 'aborted', message: 'the run was aborted' }

/** Asks the model once and takes what comes. Never rejects. */
export async function streamOnce(run: RunContext, request: ModelRequest): Promise<Reply> {
  const { clock, limits } = run.agent
  const started = clock.now()
  const silence = silenceLimit(run, limits.modelSilenceMs)
  let text = ''
  const calls: RequestedCall[] = []
  const usage = nothingSpent()
  let more: Pick<Reply, 'cacheReadTokens' | 'cacheWriteTokens' | 'cut' | 'meta'> = {}
  let firstMs: number | undefined
  let events: AsyncIterator<ModelEvent> | undefined
  const end = (broken?: Broken): Reply => {
    silence.release()
    const { inputTokens, outputTokens, costUsd } = usage
    return {
      text,
      calls: withOwnIds(calls, run.session.messages.length),
      inputTokens,
      outputTokens,
      ...(costUsd === undefined ? {} : { costUsd }),
      ...more,
      durationMs: clock.now() - started,
      ...(firstMs === undefined ? {} : { firstMs }),
      ...(broken ? { broken } : {}),
    }
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
      } else if (event.type === 'reasoning') run.emit('reasoning', { text: event.text })
      else if (event.type === 'tool_call') calls.push(requested(event))
      else if (event.type === 'usage') {
        spend(usage, event)
        more = { ...more, ...cacheTokens(event) }
      } else if (event.type === 'cut') more = { ...more, cut: event.by }
      else if (event.type === 'meta') more = { ...more, meta: kept(event.meta) }
    }
  } catch (error) {
    const fellSilent = silence.signal.aborted
    silence.giveUp(error)
    leave(events)
    if (run.signal.aborted) return end(ABORTED)
    if (fellSilent) return end({ kind: 'no_answer', message: `it was silent for ${limits.modelSilenceMs} ms` })
    return end({ ...modelErrorOf(error), message: messageOf(error) })
  }
}

function requested({ id, name, input }: Extract<ModelEvent, { type: 'tool_call' }>): RequestedCall {
  const { value = null, problem } = receive(input)
  return { id, name, input: value, ...(problem === undefined ? {} : { problem }) }
}

function cacheTokens({ cacheReadTokens, cacheWriteTokens }: Extract<ModelEvent, { type: 'usage' }>) {
  return {
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  }
}

/** It stands in the conversation, so it has to be JSON that nobody changes. */
function kept(meta: JsonObject): JsonObject {
  const { value, problem } = receive(meta)
  if (problem !== undefined) throw badEvent(`a meta that ${problem}`)
  return value as JsonObject
}

/** Ends the waiting with the run, and when nothing was heard for too long. One timer, however many events come. */
function silenceLimit(run: RunContext, ms: number) {
  const { clock } = run.agent
  const controller = new AbortController()
  let reject = (_reason: unknown) => {}
  const stop = (reason: unknown) => {
    controller.abort(reason)
    reject(reason)
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
      new Promise((resolve, fail) => {
        reject = fail
        if (controller.signal.aborted) fail(controller.signal.reason)
        Promise.resolve(next).then(resolve, fail)
      }),
    heard: () => {
      heardAt = clock.now()
    },
    /** Tells the model that nobody listens any more. */
    giveUp: (reason: unknown) => controller.abort(reason),
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
  if ((type === 'text' || type === 'reasoning') && typeof event['text'] !== 'string') {
    throw badEvent('a piece of text without its text')
  }
  if (type === 'tool_call' && (typeof event['id'] !== 'string' || typeof event['name'] !== 'string')) {
    throw badEvent('a tool call without an id or without a name')
  }
  if (type === 'usage') {
    const { inputTokens, outputTokens, costUsd = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = event
    const isAmount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0
    const amounts = [inputTokens, outputTokens, costUsd, cacheReadTokens, cacheWriteTokens]
    if (!amounts.every(isAmount)) throw badEvent('a usage without numbers of tokens')
  }
  if (type === 'cut' && event['by'] !== 'length' && event['by'] !== 'filter')
    throw badEvent('a cut by nobody knows what')
  if (type === 'meta' && !isMap(event['meta'])) throw badEvent('a meta that is no map')
  return event as unknown as ModelEvent
}

function badEvent(what: string): ExtError {
  return new ExtError('agent-core.model.event', `it sent ${what}`)
}

/**
 * Results find their calls by id, so no two calls of a turn may share one.
 * @param at number of messages before them, so that ids that are made up are so once in a conversation
 */
function withOwnIds(calls: readonly RequestedCall[], at: number): readonly RequestedCall[] {
  const taken = new Set<string>()
  return calls.map((call, index) => {
    let id = call.id === '' ? `call_${at}_${index + 1}` : call.id
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
