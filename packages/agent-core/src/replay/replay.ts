import { ExtError } from '@ext/kernel'
import type { ClockPort } from '@ext/kernel/types'
import { ModelError } from '../model-error.js'
import { pause } from '../signals.js'
import type { Model, ModelEvent, ModelRequest } from '../types.js'
import { describeDeparture } from './departure.js'
import type { RecordedCall, Recording } from './recording.js'
import { createMarker } from './request.js'

export interface ReplayOptions {
  /** The function that the recording was made with. */
  readonly normalize?: (request: ModelRequest) => ModelRequest
  /**
   * Keeps the times of the recording, `speed` times as fast; default 1. Without it everything comes at once. Throws
   * `agent-core.replay.speed` for a speed that is no number above 0.
   */
  readonly pace?: { readonly clock: ClockPort; readonly speed?: number }
}

/**
 * A model that answers as the recorded one did: the same events, the same failures. What it answers with is found by the
 * request, so one model serves many sessions. A request that was not recorded throws `agent-core.replay.departed`, and the
 * message shows where it first departs; a call that was aborted when it was recorded has no end, and throws
 * `agent-core.replay.aborted` there. The same request asked again gets its recorded answers in order, and behind the last
 * one the first again.
 */
export function replayedModel(recording: Recording, options: ReplayOptions = {}): Model {
  const { normalize = (request) => request, pace } = options
  checkSpeed(pace?.speed)
  const marksOf = createMarker()
  const answers = new Map<string, { readonly calls: RecordedCall[]; next: number }>()
  for (const call of recording.calls) {
    const known = answers.get(call.digest)
    if (known) known.calls.push(call)
    else answers.set(call.digest, { calls: [call], next: 0 })
  }
  return {
    id: recording.model,
    ...(recording.limits ? { limits: recording.limits } : {}),
    async *stream(asked, { signal }) {
      const request = normalize(asked)
      const answer = answers.get((await marksOf(request)).digest)
      const call = answer?.calls[answer.next++ % answer.calls.length]
      if (!call) throw new ExtError('agent-core.replay.departed', await describeDeparture(recording, request, marksOf))
      yield* play(call, recording.file, pace, signal)
    },
  }
}

async function* play(
  { call, events, end }: RecordedCall,
  file: string,
  pace: ReplayOptions['pace'],
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const until = timesOf(pace, signal)
  for (const { ms, event } of events) {
    await until(ms)
    yield event
  }
  await until(end.ms)
  if (end.type === 'failed') {
    const { kind, message, retryAfterMs } = end
    throw new ModelError(kind, message, retryAfterMs === undefined ? {} : { retryAfterMs })
  }
  if (end.type === 'aborted') {
    throw new ExtError(
      'agent-core.replay.aborted',
      `Call ${call} of ${file} was aborted when it was recorded, so nothing is known of what would have come now.`,
    )
  }
}

/** Waits until so many milliseconds after now. Rejects with the reason of the signal. */
function timesOf(pace: ReplayOptions['pace'], signal: AbortSignal): (ms: number) => Promise<void> {
  if (!pace) return async () => signal.throwIfAborted()
  const { clock, speed = 1 } = pace
  const began = clock.now()
  return async (ms) => {
    const left = began + ms / speed - clock.now()
    if (left > 0) await pause(clock, left, signal)
    signal.throwIfAborted()
  }
}

function checkSpeed(speed = 1): void {
  if (Number.isFinite(speed) && speed > 0) return
  throw new ExtError('agent-core.replay.speed', `The \`speed\` of a replay must be a number above 0; it is ${speed}.`)
}
