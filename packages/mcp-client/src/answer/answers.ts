import { isMap, messageOf } from '@ext/kernel'
import type { SchemaValidator } from '@ext/kernel/ajv'
import type { JsonObject } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { AskedBy, AskingLimits, ElicitationAnswer, ElicitationPort, PageRequest, SamplingPort } from '../asked.js'
import type { CancelSignal } from '../cancel.js'
import { type Answering, type ClientCapabilities, RpcError } from '../connect/session.js'
import { TokenBucket } from '../govern/bucket.js'
import { type Asking, ask } from './ask.js'
import { invalid, readForm, shown } from './form.js'
import { Line } from './line.js'
import { type Page, readPage } from './page.js'
import { toRoots } from './roots.js'
import { answerFault, readSampling, toSamplingResult } from './sampling.js'

/** Errors of JSON-RPC, of the range that it leaves to programs, and of MCP for a person who says no to sampling. */
const NO_SUCH_METHOD = -32601
const INTERNAL = -32603
const TOO_MANY = -32000
const REJECTED = -1

/** Questions of one server that wait for a person. */
const MAX_WAITING = 8
/** Of one error that asks for pages. */
const MAX_PAGES = 5
/** What is said of one server about its questions. */
const MAX_NOTES = 20
/** What is said of a method that is not known, in characters. */
const MAX_METHOD = 80

/** Until when a server wants an answer, and in whose call it asks. */
type Questioner = Parameters<Answering['answer']>[2]

/** What the program gives servers to ask. */
export interface AskingPorts {
  readonly sampling?: SamplingPort | undefined
  readonly elicitation?: ElicitationPort | undefined
  readonly limits: Required<AskingLimits>
}

export interface AnswersHost extends AskingPorts {
  readonly server: string
  /** Folders that it may know of; `undefined`: it is not told that there are any. */
  roots(): readonly string[] | undefined
  readonly clock: ClockPort
  validator(): Promise<SchemaValidator>
  /** There is something new to say. */
  changed(): void
}

/** Something that a server asked for in vain. */
export interface AnswerNote {
  readonly method: string
  /** The rest of a sentence that begins with what it asked for. */
  readonly why: string
  /** Whose fault it is. */
  readonly fault: 'server' | 'program' | 'none'
}

/** Answers what one server asks of the program and of the person at it, within limits. Says of each kind of no once why. */
export class Answers implements Answering {
  readonly capabilities: ClientCapabilities
  readonly #host: AnswersHost
  readonly #bucket: TokenBucket
  readonly #line = new Line(MAX_WAITING)
  readonly #notes = new Map<string, AnswerNote>()
  /** Pages that a person is asked about, until the server says that they are done there. */
  readonly #pages = new Map<string, () => void>()

  constructor(host: AnswersHost) {
    this.#host = host
    this.capabilities = capabilitiesOf(host)
    const { perMinute } = host.limits
    this.#bucket = new TokenBucket({ perSecond: perMinute / 60, burst: perMinute }, host.clock.now())
  }

  /** Each kind once. */
  get notes(): readonly AnswerNote[] {
    return [...this.#notes.values()]
  }

  async answer(method: string, params: unknown, by: Questioner): Promise<JsonObject> {
    const { signal } = by
    const name = shown(method).slice(0, MAX_METHOD)
    try {
      switch (method) {
        case 'roots/list':
          return this.#roots()
        case 'sampling/createMessage':
          return await this.#sample(params, by)
        case 'elicitation/create':
          return { ...(await this.#elicit(params, by)) }
        default:
          throw this.#unknown(name, 'which this program does not know')
      }
    } catch (error) {
      if (error instanceof RpcError) {
        if (error.code !== REJECTED) this.#note(name, `it was refused: ${error.message}`, 'server', error.code)
        throw error
      }
      if (!signal.aborted) this.#note(name, `the function of the program failed: ${messageOf(error)}`, 'program')
      throw new RpcError(INTERNAL, 'The request could not be answered.')
    }
  }

  /** The server says that the person is done at a page. */
  elicited(id: string): void {
    this.#pages.get(id)?.()
  }

  /** Whether a person has been at all the pages that an error of the server asks for. */
  async visited(data: unknown, { signal }: { readonly signal: CancelSignal }): Promise<boolean> {
    const method = 'elicitation/create'
    const { url } = this.#host.elicitation ?? {}
    const sent = isMap(data) ? data['elicitations'] : undefined
    if (!url) {
      this.#note(method, 'it wants a person to go to a page, which this program does not offer', 'none')
      return false
    }
    if (!Array.isArray(sent) || sent.length === 0 || sent.length > MAX_PAGES) return false
    const controller = new AbortController()
    const forward = () => controller.abort(signal.reason)
    signal.addEventListener('abort', forward, { once: true })
    try {
      for (const each of sent) {
        const page = readPage(each)
        const { action } = await this.#turn({ signal: controller.signal }, { action: 'cancel' }, (by) =>
          this.#visit(page, true, by),
        )
        if (action !== 'accept') return false
      }
      return true
    } catch (error) {
      if (!signal.aborted) this.#note(method, messageOf(error), error instanceof RpcError ? 'server' : 'program')
      return false
    } finally {
      signal.removeEventListener('abort', forward)
    }
  }

  #roots(): JsonObject {
    const folders = this.#host.roots()
    if (!folders) throw this.#unknown('roots/list', 'which this program does not offer')
    return toRoots(folders)
  }

  async #sample(params: unknown, questioner: Questioner): Promise<JsonObject> {
    const { sampling, limits } = this.#host
    const method = 'sampling/createMessage'
    if (!sampling) throw this.#unknown(method, 'which this program does not offer')
    const request = readSampling(params, { maxTokens: limits.maxTokens, tools: sampling.tools === true })
    const answer = await this.#turn(questioner, undefined, (by) => sampling.create(request, by))
    if (!answer) throw new RpcError(REJECTED, 'The request was rejected.')
    if ('refused' in answer) throw new RpcError(REJECTED, `The request was rejected: ${answer.refused}`)
    const fault = answerFault(answer, request)
    if (fault !== undefined) throw new Error(`the answer ${fault}`)
    return toSamplingResult(answer)
  }

  async #elicit(
    params: unknown,
    questioner: Questioner,
  ): Promise<ElicitationAnswer & { readonly content?: JsonObject }> {
    const { elicitation, validator } = this.#host
    const method = 'elicitation/create'
    if (!elicitation?.form && !elicitation?.url) throw this.#unknown(method, 'which this program does not offer')
    if (!isMap(params)) throw invalid('there are none')
    const { mode = 'form' } = params
    if (mode === 'url' && elicitation.url) {
      const page = readPage(params)
      return this.#turn(questioner, { action: 'cancel' }, (by) => this.#visit(page, false, by))
    }
    const { form: show } = elicitation
    if (mode !== 'form' || !show) throw invalid(`the mode ${JSON.stringify(mode)} is not offered here`)
    const form = readForm(params['message'], params['requestedSchema'], await validator())
    const answer = await this.#turn(questioner, { action: 'cancel' as const }, (by) => show(form, by))
    if (answer.action !== 'accept') return { action: answer.action }
    const content = ('content' in answer ? answer.content : undefined) ?? {}
    const [fault] = form.check(content)
    if (fault) throw new Error(`the answer does not fit: ${fault.field} ${fault.message}`)
    return { action: 'accept', content: form.filled(content) as JsonObject }
  }

  async #visit(page: Page, required: boolean, by: AskedBy): Promise<ElicitationAnswer> {
    const { id, ...rest } = page
    const url = this.#host.elicitation?.url
    if (!url) return { action: 'cancel' }
    const completed = new Promise<void>((resolve) => this.#pages.set(id, resolve))
    try {
      const request: PageRequest = { ...rest, required, completed }
      const { action } = await url(request, by)
      return { action }
    } finally {
      this.#pages.delete(id)
    }
  }

  /** Asks once it is its turn. @param late the answer if there is none in time */
  #turn<T, L>({ signal, session }: Questioner, late: L, work: (by: AskedBy) => Promise<T>): Promise<T | L> {
    const { clock, server, limits } = this.#host
    if (this.#bucket.waitMs(clock.now()) > 0) {
      throw new RpcError(TOO_MANY, `More than ${limits.perMinute} questions a minute are not answered.`)
    }
    if (this.#line.isFull)
      throw new RpcError(TOO_MANY, `More than ${MAX_WAITING} questions at a time are not answered.`)
    this.#bucket.take()
    const asking: Asking<T, L> = { clock, server, session, signal, withinMs: limits.withinMs, late, work }
    return this.#line.add(() => ask(asking))
  }

  #unknown(method: string, why: string): RpcError {
    this.#note(method, why, 'none', NO_SUCH_METHOD)
    return new RpcError(NO_SUCH_METHOD, `There is no ${method} here.`)
  }

  #note(method: string, why: string, fault: AnswerNote['fault'], kind: number | string = why): void {
    const key = `${method} ${kind}`
    if (this.#notes.has(key) || this.#notes.size >= MAX_NOTES) return
    this.#notes.set(key, { method, why, fault })
    this.#host.changed()
  }
}

function capabilitiesOf(host: AnswersHost): ClientCapabilities {
  const { sampling, elicitation } = host
  const form = elicitation?.form ? { form: {} } : {}
  const url = elicitation?.url ? { url: {} } : {}
  return {
    ...(hasRoots(host) ? { roots: { listChanged: true } } : {}),
    ...(sampling ? { sampling: sampling.tools ? { tools: {} } : {} } : {}),
    ...(elicitation?.form || elicitation?.url ? { elicitation: { ...form, ...url } } : {}),
  }
}

function hasRoots({ roots }: AnswersHost): boolean {
  try {
    return roots() !== undefined
  } catch {
    // It is said once the server asks.
    return true
  }
}
