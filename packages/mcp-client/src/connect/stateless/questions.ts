import { isMap } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import { givenUp } from '../requests.js'
import { type Answering, Fault, RpcError, type SessionCallOptions } from '../session.js'

type Capability = keyof Answering['capabilities']

const NEEDS: Readonly<Record<string, Capability>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
}

/** Answers the questions of a server that come in place of a result. All of them, or none: half of them is no answer. */
export async function answerAll(
  questions: Readonly<Record<string, unknown>>,
  answering: Answering | undefined,
  { signal, onAsked, session }: Pick<SessionCallOptions, 'signal' | 'onAsked' | 'session'>,
): Promise<JsonObject> {
  const asked = Object.entries(questions).map(([name, question]) => ({ name, ...read(question) }))
  const unknown = asked.filter(({ method }) => answering?.capabilities[NEEDS[method] ?? 'roots'] === undefined)
  // A server may only ask for what the client says that it can do.
  if (!answering || unknown.length > 0) throw unanswerable(unknown.map(({ method }) => method))
  const controller = new AbortController()
  const abort = () => controller.abort(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const resume = onAsked?.()
  try {
    const answers = asked.map(async ({ name, method, params }) => {
      return [name, await answering.answer(method, params, { signal: controller.signal, session })] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  } catch (error) {
    if (signal.aborted) throw givenUp(signal, 'unknown')
    const why = error instanceof RpcError ? error.message : 'The question could not be answered.'
    throw new Fault('remote', `asked something that it got no answer to: ${why}`, { cause: error })
  } finally {
    // One that fails ends the others, too.
    controller.abort()
    signal.removeEventListener('abort', abort)
    resume?.()
  }
}

function read(question: unknown): { readonly method: string; readonly params: unknown } {
  const { method, params } = isMap(question) ? question : {}
  if (typeof method !== 'string' || !Object.hasOwn(NEEDS, method)) return { method: String(method), params }
  // Pages have had a name of their own before, by which a server said that the person is done there.
  const isPage = isMap(params) && params['mode'] === 'url' && params['elicitationId'] === undefined
  return { method, params: isPage ? { ...params, elicitationId: crypto.randomUUID() } : params }
}

function unanswerable(methods: readonly string[]): Fault {
  const hint = 'Nobody here can be asked for it; give the tool all it needs in its input, or do it another way.'
  return new Fault('remote', `wants something first that this client can't give (${methods.join(', ')})`, { hint })
}
