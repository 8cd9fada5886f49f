import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import { guardedConnector, type Route } from './connect.js'
import { type Headers, joinHeaders } from './headers.js'
import { explain, FetchStop, failed } from './stop.js'

/** What is sent. */
export interface Outgoing {
  readonly method: string
  readonly headers: Headers
  readonly body: string | Uint8Array | undefined
}

/** What came back. */
export interface Incoming {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/**
 * One request over a connection of its own, which ends with it: a connection that somebody else may reuse would be one
 * that passes no check.
 * @param skipBody whether the head says enough
 * @throws FetchStop
 */
export async function exchange(
  route: Route,
  outgoing: Outgoing,
  limits: { readonly maxBytes: number; skipBody(incoming: Omit<Incoming, 'body'>): boolean },
): Promise<Incoming> {
  const { url } = route.target
  const client = new Client(url.origin, {
    connect: guardedConnector(route),
    pipelining: 0,
    // The time cap of the request is the only one.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    return await new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      let received = 0
      let head: Omit<Incoming, 'body'> | undefined
      const tooLarge = () => {
        const message = `The answer of ${url.host} has more bytes than the limit of ${limits.maxBytes}.`
        reject(new FetchStop({ outcome: 'too-large', message }))
      }
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart: () => {},
        onResponseStart: (_controller, status, rawHeaders) => {
          if (status < 200) return
          head = { status, headers: joinHeaders(rawHeaders) }
          if (limits.skipBody(head)) return resolve({ ...head, body: new Uint8Array() })
          if (outgoing.method !== 'HEAD' && Number(head.headers['content-length']) > limits.maxBytes) tooLarge()
        },
        onResponseData: (_controller, chunk) => {
          received += chunk.length
          if (received > limits.maxBytes) tooLarge()
          else chunks.push(chunk)
        },
        onResponseEnd: () => {
          if (head) resolve({ ...head, body: new Uint8Array(Buffer.concat(chunks)) })
        },
        onResponseError: (_controller, error) => reject(error instanceof FetchStop ? error : broken(error, url)),
      }
      const { method, headers, body = null } = outgoing
      client.dispatch({ method, path: url.pathname + url.search, headers: { ...headers }, body }, handler)
    })
  } finally {
    void client.destroy()
  }
}

const MALFORMED = new Set(['HTTPParserError', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])

function broken(error: Error, url: URL): FetchStop {
  const { code = error.name } = error as { readonly code?: string }
  return failed(MALFORMED.has(code) ? 'protocol' : 'connection', `${url.host} gave no whole answer: ${explain(error)}.`)
}
