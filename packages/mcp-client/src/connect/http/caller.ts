import type { Remote } from '../../compiled.js'
import { Fault, type SessionHost } from '../session.js'
import { redirected, redirectedForEver, refusal, shown, unreachable } from './faults.js'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Of a body that only explains an error, and how long it may take in milliseconds. */
const ERROR_BYTES = 16 * 1024
const ERROR_MS = 1000

export interface Ask {
  readonly url?: URL
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** What is asked, for messages. */
  readonly what: string
}

export interface Answered {
  readonly response: Response
  /** Behind all redirects. */
  readonly url: URL
}

/** Asks one server over HTTP. All that goes wrong is a {@link Fault}. */
export class Caller {
  readonly #remote: Remote
  readonly #host: Pick<SessionHost, 'fetch' | 'mask' | 'clock'>

  constructor(remote: Remote, host: Pick<SessionHost, 'fetch' | 'mask' | 'clock'>) {
    this.#remote = remote
    this.#host = host
  }

  get url(): URL {
    if (!URL.canParse(this.#remote.url)) {
      throw new Fault('network', 'has no address that can be read', {
        effect: 'none',
        final: true,
        hint: 'Check `url`.',
      })
    }
    const url = new URL(this.#remote.url)
    if (url.username === '' && url.password === '') return url
    const hint = 'Put them into `headers`: authorization: "Basic …".'
    const message = 'has a name or a password in its address, which HTTP clients refuse'
    throw new Fault('network', message, { effect: 'none', final: true, hint })
  }

  /** The answer, if its status says yes. */
  async ask(ask: Ask): Promise<Answered> {
    const answered = await this.#follow(ask)
    const { response, url } = answered
    if (response.ok) return answered
    // The status says enough where the body can't be had, and a body without end is not waited for.
    const enough = (stop: () => void) => this.#host.clock.after(ERROR_MS, stop)
    const text = await readText(answered, ERROR_BYTES, enough).catch(() => '')
    throw refusal(response, this.#host.mask(text ?? ''), ask.what, this.#shown(url))
  }

  /**
   * Redirects are followed with all that the request has, credentials too, so only within one origin, or from http to
   * https of the same host. The method stays: who redirects has not done what was asked.
   */
  async #follow({ url: first = this.url, method, headers, body, signal }: Ask): Promise<Answered> {
    let url = first
    for (let followed = 0; ; followed++) {
      const init = { method, headers: this.#headers(headers), signal, redirect: 'manual' as const }
      let response: Response
      try {
        response = await (this.#host.fetch ?? fetch)(url, body === undefined ? init : { ...init, body })
      } catch (error) {
        if (signal.aborted) throw new Fault('network', 'was not waited for any longer', { cause: error })
        throw unreachable(error, url)
      }
      if (!REDIRECTS.includes(response.status)) return { response, url }
      await discard(response)
      const target = targetOf(response, url)
      const changesMethod = response.status === 303 && method !== 'GET'
      if (!target || changesMethod || !isWithin(url, target)) {
        throw redirected(response.status, target && this.#shown(target))
      }
      if (followed === MAX_REDIRECTS) throw redirectedForEver(response.status, this.#shown(target))
      url = target
    }
  }

  #shown(url: URL): string {
    return this.#host.mask(shown(url))
  }

  #headers(own: Readonly<Record<string, string>>): Headers {
    const headers = new Headers()
    for (const [name, value] of Object.entries(this.#remote.headers)) {
      try {
        headers.set(name, value)
      } catch (error) {
        const message = `can't be asked: the header ${JSON.stringify(name)} has characters that HTTP does not allow`
        throw new Fault('network', message, { cause: error, effect: 'none', final: true, hint: 'Check `headers`.' })
      }
    }
    for (const [name, value] of Object.entries(own)) headers.set(name, value)
    return headers
  }
}

/**
 * The body as a text; `undefined` if it is longer than the limit.
 * @param enough sees to it that reading stops with what has come by then; returns what calls that off
 */
export async function readText(
  { response, url }: Answered,
  maxBytes: number,
  enough?: (stop: () => void) => () => void,
): Promise<string | undefined> {
  const parts: string[] = []
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  const calledOff = reader && enough?.(() => void reader.cancel().catch(() => {}))
  let bytes = 0
  try {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done || !value) return parts.join('') + decoder.decode()
      bytes += value.length
      if (bytes > maxBytes) {
        await reader?.cancel()
        return undefined
      }
      parts.push(decoder.decode(value, { stream: true }))
    }
  } catch (error) {
    throw unreachable(error, url)
  } finally {
    calledOff?.()
  }
}

/** Lets the connection go. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}

function targetOf(response: Response, url: URL): URL | undefined {
  const location = response.headers.get('location')
  return location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined
}

function isWithin(from: URL, to: URL): boolean {
  if (to.username !== '' || to.password !== '') return false
  if (from.origin === to.origin) return true
  const upgrade = from.protocol === 'http:' && to.protocol === 'https:'
  return upgrade && from.hostname === to.hostname && from.port === '' && to.port === ''
}
