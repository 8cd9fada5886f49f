import type { FetchRequest } from '../../types.js'
import { refused } from './stop.js'

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What a line of a header can carry: no control characters but the tab, nothing beyond a byte. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** The connection's own, or the ones that would make the server see another request than the one that was checked. */
const OWN = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade proxy-connection'.split(' '),
)
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization']

/** Names in lower case. */
export type Headers = Readonly<Record<string, string>>

/**
 * The headers of a request, once nothing in them can end the line that they are in.
 * @throws FetchStop
 */
export function checkHeaders(request: FetchRequest): Headers {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    // Names and values can hold secrets or control characters, so that messages show neither.
    if (!TOKEN.test(name)) throw refused('header', 'A name of a header is empty or holds characters that names lack.')
    if (!VALUE.test(value)) {
      throw refused('header', `The header ${name} holds a line break, a NUL or another character that headers lack.`)
    }
    const key = name.toLowerCase()
    if (OWN.has(key)) throw refused('header', `The header ${name} can't be set.`)
    if (headers.has(key)) throw refused('header', `The header ${name} is there twice.`)
    headers.set(key, value)
  }
  return Object.fromEntries(headers)
}

/** @throws FetchStop */
export function checkMethod(method = 'GET'): string {
  const name = method.toUpperCase()
  if (TOKEN.test(name) && !['CONNECT', 'TRACE', 'TRACK'].includes(name)) return name
  throw refused('method', 'The method is not one that can be used.')
}

/** What may go to another origin: no credentials, and nothing that the caller calls secret. */
export function withoutSecrets(headers: Headers, secretHeaders: readonly string[] = []): Headers {
  const secret = new Set([...CREDENTIALS, ...secretHeaders.map((name) => name.toLowerCase())])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.has(name)))
}

/** What is left when a redirect turns a request into one without a body. */
export function withoutBodyHeaders(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
}

/** Headers of an answer; several of one name are joined. */
export function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}
