import type { Handler, Incoming, Mouth } from './behaviour.js'

interface Round {
  /** By which the behaviour knows the call. */
  readonly first: Incoming['id']
  /** By which the client does now. */
  id: Incoming['id']
  mouth: Mouth
  readonly questions: { readonly id: unknown; readonly method: unknown; readonly params?: unknown }[]
}

/** Turns what a server asks while it works on a call into results that ask, as revision 2026-07-28 of MCP has it. */
export class Rounds {
  readonly #open = new Map<string, Round>()
  #count = 0

  /** @param answers takes what the client answered */
  call(handler: Handler, answers: Handler | undefined, incoming: Incoming, mouth: Mouth): void {
    const { requestState, inputResponses = {} } = incoming.params ?? {}
    const known = this.#open.get(String(requestState))
    this.#open.delete(String(requestState))
    const round = known ?? { first: incoming.id, id: incoming.id, mouth, questions: [] }
    round.id = incoming.id
    round.mouth = mouth
    const own: Mouth = {
      ...mouth,
      send(message) {
        const { id, method, params } = message as { readonly [key: string]: unknown }
        if (method !== undefined && id !== undefined) round.questions.push({ id, method, params })
        else round.mouth.send(id === round.first ? { ...message, id: round.id } : message)
      },
    }
    if (known)
      for (const [id, result] of Object.entries(inputResponses as object)) answers?.({ id, result } as Incoming, own)
    else handler(incoming, own)
    if (round.questions.length > 0) this.#ask(round)
  }

  #ask(round: Round): void {
    const state = `round ${++this.#count}`
    this.#open.set(state, round)
    const questions = round.questions.splice(0)
    const inputRequests = Object.fromEntries(questions.map(({ id, ...question }) => [String(id), question]))
    round.mouth.send({ id: round.id, result: { resultType: 'input_required', inputRequests, requestState: state } })
  }
}
