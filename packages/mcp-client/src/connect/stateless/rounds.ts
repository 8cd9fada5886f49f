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
  /** Resolves after the time. Rejects when nobody waits any longer. */
  pause(ms: number): Promise<void>
}

/**
 * The result of a request that a server may answer in several rounds ("Multi Round-Trip Requests" of MCP 2026-07-28): it
 * gives a state that only it understands, which goes back to it as it is.
 */
export async function inRounds({ ask, pause }: RoundsHost): Promise<unknown> {
  let more: JsonObject = {}
  for (let round = 1; ; round++) {
    const result = await ask(more)
    if (!isMap(result)) return result
    const { resultType, ...rest } = result
    // Servers that are older than the field leave it out.
    if (resultType === 'complete' || resultType === undefined) return rest
    const { inputRequests, requestState } = rest
    const wanted = isMap(inputRequests) ? Object.values(inputRequests) : []
    if (resultType !== 'input_required' || (wanted.length === 0 && typeof requestState !== 'string')) {
      throw new Fault('protocol', `gave a result that is neither one nor a question (${JSON.stringify(resultType)})`)
    }
    if (wanted.length > 0) throw unanswerable(wanted)
    if (round === MAX_ROUNDS) throw new Fault('protocol', `was asked ${MAX_ROUNDS} times and had no result yet`)
    await pause(PAUSE_MS)
    more = { requestState: requestState as string }
  }
}

/** A server may only ask for what the client says that it can do. */
function unanswerable(wanted: readonly unknown[]): Fault {
  const methods = wanted.map((each) => (isMap(each) ? String(each['method']) : '?')).join(', ')
  const hint = 'Nobody here can be asked for it; give the tool all it needs in its input, or do it another way.'
  return new Fault('remote', `wants something first that this client can't give (${methods})`, { effect: 'none', hint })
}
