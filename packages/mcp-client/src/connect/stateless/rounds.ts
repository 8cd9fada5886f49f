import { isMap } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import { Fault } from '../session.js'

/** How often a server may want more before it has to answer. */
const MAX_ROUNDS = 10
/** Between two rounds in which nobody was asked anything. */
const PAUSE_MS = 250

export interface RoundsHost {
  /** Sends the request with more parameters: a request of its own each time. */
  ask(more: JsonObject): Promise<unknown>
  /** Answers what the server asks, by its names for the questions. */
  answer(questions: Readonly<Record<string, unknown>>): Promise<JsonObject>
  /** Resolves after the time. Rejects when nobody waits any longer. */
  pause(ms: number): Promise<void>
}

/**
 * The result of a request that a server may answer in several rounds ("Multi Round-Trip Requests" of MCP 2026-07-28). It
 * asks what it wants to know, and gives a state that only it understands; both the answers and the state as it was go back
 * with the same request.
 */
export async function inRounds({ ask, answer, pause }: RoundsHost): Promise<unknown> {
  let more: JsonObject = {}
  for (let round = 1; ; round++) {
    const result = await ask(more)
    if (!isMap(result)) return result
    const { resultType, ...rest } = result
    // Servers that are older than the field leave it out.
    if (resultType === 'complete' || resultType === undefined) return rest
    const { inputRequests, requestState } = rest
    const questions = isMap(inputRequests) ? inputRequests : {}
    const asks = Object.keys(questions).length > 0
    if (resultType !== 'input_required' || (!asks && typeof requestState !== 'string')) {
      throw new Fault('protocol', `gave a result that is neither one nor a question (${JSON.stringify(resultType)})`)
    }
    if (round === MAX_ROUNDS) throw new Fault('protocol', `was asked ${MAX_ROUNDS} times and had no result yet`)
    const answers = asks ? { inputResponses: await answer(questions) } : {}
    if (!asks) await pause(PAUSE_MS)
    more = { ...answers, ...(typeof requestState === 'string' ? { requestState } : {}) }
  }
}
