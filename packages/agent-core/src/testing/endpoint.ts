import { isMap, messageOf } from '@ext/kernel'
import { ModelError } from '../model-error.js'
import { type Script, scriptedModel } from '../scripted/index.js'
import type { ModelEvent } from '../types.js'
import { anthropicWire } from './anthropic.js'
import { openaiWire } from './openai.js'
import type { Wire } from './wire.js'

export interface EndpointOptions {
  /** The format: Anthropic's `/messages`, or OpenAI's `/chat/completions`, which many others speak. */
  readonly wire: 'anthropic' | 'openai'
}

/** A request as it came. */
export interface EndpointRequest {
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

export interface ScriptedEndpoint {
  /** Stands in for the global `fetch` of a provider, or answers the requests of a server. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Oldest first. */
  readonly requests: readonly EndpointRequest[]
}

/**
 * Answers as the endpoint of a provider does, with the turns of a script: streamed text, thoughts and calls in the
 * provider's own format. The same script is played by `scriptedModel`, so that what comes out of both can be compared.
 *
 * A turn that fails does so as the provider would: with a status and an error in its words while nothing has been sent, with
 * an error in the stream behind that. `network` cuts the connection, `no_answer` stays silent. A conversation that departs
 * from the script is an invalid request, with what was expected in its message.
 */
export function scriptedEndpoint(script: Script, { wire: name }: EndpointOptions): ScriptedEndpoint {
  const wire = name === 'anthropic' ? anthropicWire() : openaiWire
  const model = scriptedModel(script)
  const requests: EndpointRequest[] = []
  return {
    requests,
    async fetch(input, init) {
      const request = new Request(input, init)
      const body: unknown = await request.json().catch(() => undefined)
      if (!isMap(body)) return failed(wire, new ModelError('invalid_request', 'The body is no JSON object.'))
      requests.push({ url: request.url, headers: Object.fromEntries(request.headers), body })
      // The signal of a request follows the one that it was made with only as long as nothing is collected.
      const signal = init?.signal ?? request.signal
      const problem = wire.problem(body)
      if (problem !== undefined) return failed(wire, new ModelError('invalid_request', problem))
      const events = model.stream(wire.parse(body), { signal })[Symbol.asyncIterator]()
      let first: IteratorResult<ModelEvent>
      try {
        first = await events.next()
      } catch (error) {
        return failed(wire, error, signal)
      }
      return new Response(frames(wire, body, first, events, signal), {
        headers: { 'content-type': 'text/event-stream' },
      })
    },
  }
}

/**
 * The whole answer, frame by frame; a failure behind its first event is a part of it. Made as it is read: a stream that
 * breaks off loses what nobody has read yet.
 */
function frames(
  wire: Wire,
  body: Readonly<Record<string, unknown>>,
  first: IteratorResult<ModelEvent>,
  rest: AsyncIterator<ModelEvent>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const waiting: string[] = []
  const answer = wire.answer(body, (frame) => waiting.push(frame))
  let next: IteratorResult<ModelEvent> | undefined = first
  let ended = false
  const goOn = async () => {
    try {
      next ??= await rest.next()
      if (next.done) answer.end()
      else answer.add(next.value)
      ended = next.done === true
      next = undefined
    } catch (error) {
      const { kind, message } = asModelError(error)
      if (kind === 'network') throw new TypeError(message)
      if (kind === 'no_answer') await aborted(signal)
      waiting.push(wire.inBand(kind, message))
      ended = true
    }
  }
  return new ReadableStream(
    {
      async pull(controller) {
        while (waiting.length === 0 && !ended) await goOn()
        const frame = waiting.shift()
        if (frame === undefined) controller.close()
        else controller.enqueue(encoder.encode(frame))
      },
    },
    { highWaterMark: 0 },
  )
}

async function failed(wire: Wire, error: unknown, signal?: AbortSignal): Promise<Response> {
  const { kind, message, retryAfterMs } = asModelError(error)
  if (kind === 'network') throw new TypeError('fetch failed', { cause: new Error(message) })
  if (kind === 'no_answer') await aborted(signal)
  const { status, body } = wire.failure(kind, message)
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  }
  return new Response(JSON.stringify(body), { status, headers })
}

function asModelError(error: unknown): ModelError {
  return error instanceof ModelError ? error : new ModelError('invalid_request', messageOf(error))
}

/** Rejects when the other side gives up. */
function aborted(signal?: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
