import { isMap } from '@ext/kernel'
import { htmlTitle, isHtml } from './html.js'
import { isBrokenOff, isNetworkError, networkReason } from './network.js'

/** What an endpoint has answered instead of an answer of the model, or why it could not be asked. */
export interface ApiFailure {
  readonly status?: number
  /** Scheme, host and port that were asked. The rest of an address may hold a key. */
  readonly origin?: string
  readonly headers: Readonly<Record<string, string>>
  /** What the error calls itself, the most telling first. */
  readonly types: readonly string[]
  readonly message: string
  readonly network: boolean
  /** It had been reached. */
  readonly broke: boolean
}

/** Reads an `APICallError` of any copy of the AI SDK, or the error that came in a stream. */
export function apiFailure(error: unknown): ApiFailure | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { name, statusCode, url, responseHeaders, responseBody, cause, message } = error as Record<string, unknown>
  if (name !== 'AI_APICallError') return error instanceof Error ? undefined : inBand(error)
  const headers = headersOf(responseHeaders)
  const body = typeof responseBody === 'string' ? responseBody : ''
  const said = errorIn(parsed(body))
  const status = typeof statusCode === 'number' ? statusCode : undefined
  const reason = networkReason(cause)
  // An endpoint that answers may break off in the middle of its answer.
  const network = isNetworkError(error) || (status === undefined && /^Cannot connect to API/.test(String(message)))
  const origin = originOf(url)
  return {
    ...(status === undefined || (network && status < 300) ? {} : { status }),
    ...(origin === undefined ? {} : { origin }),
    headers,
    types: said.types,
    message: network
      ? reason
      : (redirect(status, headers) ?? messageFor(body, headers, said.message ?? String(message ?? ''))),
    network,
    broke: isBrokenOff(cause) || status !== undefined,
  }
}

/** Hosts that do not follow redirects get one as an answer. */
function redirect(status = 0, { location = '' }: Readonly<Record<string, string>>): string | undefined {
  if (status < 300 || status > 399) return undefined
  const where = originOf(location)
  return `It redirects${where === undefined ? '' : ` to ${where}`}, which is not followed. Give the address that it leads to.`
}

function messageFor(body: string, headers: Readonly<Record<string, string>>, message: string): string {
  if (isHtml(body, headers['content-type'])) {
    const title = htmlTitle(body)
    const called = title === undefined ? 'an HTML page' : `an HTML page with the title “${title}”`
    return `It answered with ${called}, which no model does. Check the address of the endpoint, and proxies on the way.`
  }
  if (message.trim() !== '') return message
  return body.trim() === '' ? 'It answered without a word.' : body
}

/** An error that a provider puts into its stream: the object itself, or the object around it. */
function inBand(error: object): ApiFailure | undefined {
  const { types, message } = errorIn(error)
  if (message === undefined && types.length === 0) return undefined
  return { headers: {}, types, message: message ?? types.join(', '), network: false, broke: false }
}

/** `{type: "error", error: {type, message}}` of Anthropic, `{error: {type, code, message}}` of OpenAI, and what is like them. */
function errorIn(value: unknown): { readonly types: readonly string[]; readonly message?: string } {
  if (!isMap(value)) return { types: [] }
  const inner = isMap(value['error']) ? value['error'] : value
  const types = [inner['code'], inner['type'], inner['status']].filter((type) => typeof type === 'string')
  const message = [inner['message'], value['message'], value['error'], value['detail']].find(
    (text) => typeof text === 'string' && text !== '',
  )
  return { types, ...(typeof message === 'string' ? { message } : {}) }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (!isMap(headers)) return {}
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  )
}

function originOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined
}
