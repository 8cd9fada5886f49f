import type { FetchAnswer, FetchRequest } from '../../types.js'
import { exchange, type Incoming, type Outgoing } from './exchange.js'
import { checkHeaders, checkMethod } from './headers.js'
import { proxyFor } from './proxy.js'
import { isRedirect, nextHop } from './redirect.js'
import { type Resolver, systemResolver } from './resolve.js'
import { failed } from './stop.js'
import { readTarget } from './url.js'

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024

/** What holds for all requests of one port. */
export interface Settings {
  /** Canonical `host:port` pairs. */
  readonly allow: ReadonlySet<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ca: string | readonly string[] | undefined
  readonly resolve: Resolver | undefined
}

/**
 * Sends a request, and after it the ones that redirects ask for.
 * @throws FetchStop
 */
export async function follow(request: FetchRequest, settings: Settings, signal: AbortSignal): Promise<FetchAnswer> {
  const { allow, env, resolve = systemResolver } = settings
  const { maxBytes = DEFAULT_MAX_BYTES, maxRedirects = 0, secretHeaders = [], allowLoopback = false } = request
  const headers = checkHeaders(request)
  let outgoing: Outgoing = {
    method: checkMethod(request.method),
    // A small body that unpacks to a large one would be beyond any cap, so that none is asked for.
    headers: { 'accept-encoding': 'identity', ...headers },
    body: request.body,
  }
  let target = readTarget(request.url, { allow, loopback: allowLoopback })
  const ca = settings.ca === undefined ? undefined : await withKnownCertificates(settings.ca)
  for (let left = maxRedirects; ; left--) {
    const route = { target, proxy: proxyFor(target.url, env), resolve, ca, signal }
    const incoming = await exchange(route, outgoing, { maxBytes, skipBody: isRedirect })
    if (!isRedirect(incoming)) return answer(target.url, incoming, headers['accept-encoding'] !== undefined)
    const hop = nextHop({ target, outgoing }, incoming, { left, allow, secretHeaders })
    target = hop.target
    outgoing = hop.outgoing
  }
}

function answer(url: URL, { status, headers, body }: Incoming, encodingWanted: boolean): FetchAnswer {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!encodingWanted && encoding !== 'identity' && body.length > 0) {
    throw failed('encoding', `${url.host} sent its answer as ${encoding}, which was not asked for.`)
  }
  const text = () => new TextDecoder().decode(body)
  return { outcome: 'answered', url: url.href, status, headers, body, text }
}

/** TLS takes a list of certificates as the whole list. */
async function withKnownCertificates(extra: string | readonly string[]): Promise<readonly string[]> {
  const tls: typeof import('node:tls') & { getCACertificates?(type: 'default'): string[] } = await import('node:tls')
  return [...(tls.getCACertificates?.('default') ?? tls.rootCertificates), ...[extra].flat()]
}
