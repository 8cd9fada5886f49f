import { isMap, messageOf } from '@ext/kernel'
import { plain, remark } from '../log.js'
import { Fault } from '../session.js'

const EXCERPT = 200

/** An answer with a status that says no. */
export class Refusal extends Fault {
  readonly status: number
  /** What came with it, masked. */
  readonly body: string

  constructor(
    status: number,
    message: string,
    { body = '', ...options }: Partial<ConstructorParameters<typeof Fault>[2]> & { readonly body?: string } = {},
  ) {
    super(status >= 500 ? 'network' : 'remote', message, options)
    this.status = status
    this.body = body
  }
}

/** The error of JSON-RPC in the body of an answer. */
export function refusalIn(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    const error = isMap(value) && value['jsonrpc'] === '2.0' ? value['error'] : undefined
    return isMap(error) && Number.isSafeInteger(error['code']) ? error : undefined
  } catch {
    return undefined
  }
}

/** An address for people. Its path can hold secrets, so it has to be masked. */
export function shown(url: URL): string {
  return url.origin + url.pathname
}

/** Why `fetch` gave nothing. Only what happened before the request was sent is sure to have had no effect. */
export function unreachable(error: unknown, url: URL): Fault {
  const { code, syscall } = systemError(error)
  const host = url.host
  const before = (what: string, hint: string, final = false) =>
    new Fault('network', `could not be reached: ${what}`, { cause: error, effect: 'none', final, hint })
  // Also codes of a connection that broke later, when the request may have been read.
  const connecting = syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT'
  switch (code) {
    case 'ECONNREFUSED':
      return before(`nothing listens at ${host}`, 'Check that the server runs, and the host and port in `url`.')
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return before(`there is no host ${url.hostname}`, 'Check `url`, and whether this machine is online.')
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      if (!connecting) break
      return before(`${host} does not answer`, 'Check `url`, and whether a firewall or a VPN is in the way.')
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return before(`${host} does not speak TLS`, 'Does `url` have to begin with http://?', true)
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/.test(code)) {
    const hint = 'Check the host in `url`. Node trusts a certificate of your own with NODE_EXTRA_CA_CERTS.'
    return before(`the certificate of ${host} is not accepted (${code})`, hint, true)
  }
  const options = { cause: error, hint: 'It may have done what was asked.' }
  if (code.startsWith('HPE_')) {
    const hint = 'Check `url`: does it have to begin with https://, or is the port another one?'
    return new Fault('protocol', `does not speak HTTP at ${host}`, { ...options, hint })
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new Fault('network', 'was silent for so long that the connection was given up', options)
  }
  if (/^(ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET|UND_ERR_CLOSED)$/.test(code)) {
    return new Fault('network', 'broke the connection', options)
  }
  const reason = reasonOf(error)
  if (reason === 'bad port') {
    return before(`port ${url.port} is one that \`fetch\` refuses`, 'Let the server listen at another port.', true)
  }
  return new Fault('network', `could not be asked: ${reason}`, { cause: error })
}

/**
 * What an answer with this status means.
 * @param text what came with it, masked
 * @param where the address, as people may see it
 */
export function refusal(response: Response, text: string, what: string, where: string): Refusal {
  const { status } = response
  const said = spoken(text)
  const because = said === '' ? '' : `: ${said}`
  switch (status) {
    case 401:
    case 403: {
      const hint = 'Put what it wants into `headers`, for example authorization: "Bearer ${TOKEN}".'
      const message = status === 401 ? 'wants credentials' : 'does not let these credentials in'
      return new Refusal(status, `${message} (${status})${because}`, {
        effect: 'none',
        final: true,
        // One call may need more than the others.
        needsAuth: status === 401 || what !== 'tools/call',
        hint,
        body: text,
      })
    }
    case 404:
    case 405: {
      const hint = 'Check the path in `url`: many servers listen at /mcp, older ones at /sse.'
      const message = `has no MCP at ${where} (${status})${because}`
      return new Refusal(status, message, { effect: 'none', final: true, hint, body: text })
    }
    case 429: {
      const after = response.headers.get('retry-after')
      const hint = after === null ? 'Ask less often.' : `Ask again after ${/^\d+$/.test(after) ? `${after} s` : after}.`
      return new Refusal(status, `takes no more requests for now (429)${because}`, { effect: 'none', hint, body: text })
    }
  }
  if (status >= 500) return new Refusal(status, `failed with HTTP ${status}${because}`, { body: text })
  return new Refusal(status, `refused ${what} (${status})${because}`, { effect: 'none', body: text })
}

/**
 * A redirect that is not followed.
 * @param where the address that it leads to, as people may see it
 */
export function redirected(status: number, where: string | undefined): Refusal {
  const hint = where === undefined ? 'Check `url`.' : `If ${where} is the server, write that address in \`url\`.`
  return notFollowed(status, `redirects to ${where ?? 'no address'}, which is not followed (${status})`, hint)
}

/** One redirect after the other, and no end of it. */
export function redirectedForEver(status: number, where: string): Refusal {
  const message = `redirects again and again, at last to ${where} (${status})`
  return notFollowed(status, message, 'Check `url`: it leads in a circle.')
}

function notFollowed(status: number, message: string, hint: string): Refusal {
  return new Refusal(status, message, { effect: 'none', final: true, hint })
}

/** An answer of a type that MCP does not know. */
export function wrongType(response: Response, what: string): Fault {
  const type = mediaType(response)
  if (type === '') return new Fault('protocol', `accepted ${what} and gave no answer (${response.status})`)
  const message = type === 'text/html' ? `answered ${what} with a web page` : `answered ${what} with ${plain(type)}`
  const hint = 'Check `url`: it has to be the MCP endpoint itself, and no page to sign in may be in front of it.'
  return new Fault('protocol', message, { final: true, hint })
}

/** Of an answer, in lower case and without parameters. */
export function mediaType(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** The words of an error: of JSON-RPC, of other JSON, or the beginning of a text. A page says nothing. */
function spoken(text: string): string {
  let words = text
  try {
    const value: unknown = JSON.parse(text)
    const error = isMap(value) ? value['error'] : undefined
    const candidates = [isMap(error) ? error['message'] : error, isMap(value) ? value['message'] : value]
    words = candidates.find((each) => typeof each === 'string') ?? ''
  } catch {
    if (/^\s*</.test(text)) return ''
  }
  return remark(words, EXCERPT)
}

/** `fetch` hides the reason in the cause, which can hold one error for each address that was tried. */
function systemError(error: unknown, depth = 0): { readonly code: string; readonly syscall: unknown } {
  if (!(error instanceof Error) || depth > 5) return { code: '', syscall: undefined }
  const given = error as { code?: unknown; syscall?: unknown; errors?: readonly unknown[] }
  const { syscall, errors } = given
  // Node 24 leaves the code out.
  const code = given.code ?? (error.name === 'HTTPParserError' ? 'HPE_UNKNOWN' : undefined)
  if (typeof code === 'string' && syscall !== undefined) return { code, syscall }
  const inner = systemError(Array.isArray(errors) ? errors[0] : error.cause, depth + 1)
  return inner.code === '' && typeof code === 'string' ? { code, syscall } : inner
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? messageOf(error.cause) : messageOf(error)
}
