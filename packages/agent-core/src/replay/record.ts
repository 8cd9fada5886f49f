import { messageOf } from '@ext/kernel'
import type { ClockPort } from '@ext/kernel/types'
import { modelErrorOf } from '../model-error.js'
import type { Model, ModelRequest } from '../types.js'
import { createRequestParts } from './parts.js'
import { type CallLine, type HeaderLine, type RecordedEnd, type RecordedEvent, VERSION } from './recording.js'
import { createMarker } from './request.js'

export interface RecordingOptions {
  /**
   * Keeps a line, which brings its line break. Called for one line at a time, in order; the stream never waits for it.
   */
  write(line: string): void | Promise<void>
  /** Told the first time that a line could not be made or written; that line is lost, and the next one is tried. */
  onError(error: unknown): void
  readonly clock: ClockPort
  /**
   * What of a request is kept and compared: takes out secrets, and what is another one each time, such as a date. The
   * replay needs the same function. Default: all of it, as it is.
   */
  readonly normalize?: (request: ModelRequest) => ModelRequest
}

/** A model whose calls are recorded. */
export interface RecordedModel extends Model {
  /** Resolves when the lines of all calls that have ended are written or lost. Never rejects. */
  written(): Promise<void>
}

/**
 * Passes a model through and writes down each of its calls: what is new in the request, the events with their times, and
 * how it ended. A recording holds the whole conversation.
 */
export function recordedModel(model: Model, options: RecordingOptions): RecordedModel {
  const { clock } = options
  const lines = createLines(model, options)
  let calls = 0
  return {
    id: model.id,
    ...(model.limits ? { limits: model.limits } : {}),
    written: lines.written,
    async *stream(request, { signal }) {
      // Its line is made when the call has ended, and by then whoever asked may have added to the list.
      const asked = { ...request, messages: [...request.messages] }
      const call = ++calls
      const began = clock.now()
      const events: RecordedEvent[] = []
      let ended = false
      const end = (how: WithoutTime<RecordedEnd>) => {
        if (ended) return
        ended = true
        lines.add(asked, { call, events, end: { ...how, ms: clock.now() - began } })
      }
      // A model that ignores its signal may never come back.
      const onAbort = () => end({ type: 'aborted' })
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        for await (const event of model.stream(request, { signal })) {
          // Nothing of a replay can fall silent.
          if (!ended && event.type !== 'working') events.push({ ms: clock.now() - began, event })
          yield event
        }
        end({ type: 'done' })
      } catch (error) {
        const failed = { type: 'failed', ...modelErrorOf(error), message: messageOf(error) } as const
        end(signal.aborted ? { type: 'aborted' } : failed)
        throw error
      } finally {
        signal.removeEventListener('abort', onAbort)
        // Whoever read it has left.
        end({ type: 'aborted' })
      }
    },
  }
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'ms'> : never

/** Makes and writes lines, one behind the other. None that fails stops the next. */
function createLines(model: Model, { write, onError, normalize = (request) => request }: RecordingOptions) {
  const marksOf = createMarker()
  const parts = createRequestParts()
  let tail = Promise.resolve()
  let begun = false
  let failed = false
  const writeLine = (line: HeaderLine | CallLine) => write(`${JSON.stringify(line)}\n`)

  async function writeCall(asked: ModelRequest, fields: Pick<CallLine, 'call' | 'events' | 'end'>): Promise<void> {
    const request = normalize(asked)
    const marks = await marksOf(request)
    if (!begun) await writeLine(headerOf(model))
    begun = true
    const { call, events, end } = fields
    await writeLine({ type: 'call', call, digest: marks.digest, request: parts.partOf(request, marks), events, end })
    parts.written(marks)
  }

  return {
    add(request: ModelRequest, fields: Pick<CallLine, 'call' | 'events' | 'end'>): void {
      tail = tail
        .then(() => writeCall(request, fields))
        .catch((error) => {
          if (failed) return
          failed = true
          onError(error)
        })
        // What `onError` throws has nowhere to go.
        .catch(() => {})
    },
    written: () => tail,
  }
}

function headerOf({ id, limits }: Model): HeaderLine {
  return { type: 'recording', version: VERSION, model: id, ...(limits ? { limits } : {}) }
}
