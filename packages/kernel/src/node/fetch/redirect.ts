import type { FetchRequest } from '../../types.js'
import type { Incoming, Outgoing } from './exchange.js'
import { withoutBodyHeaders, withoutSecrets } from './headers.js'
import { FetchStop } from './stop.js'
import { readTarget, type Target } from './url.js'

const REDIRECTS = [301, 302, 303, 307, 308]

/** Whether an answer sends the request elsewhere. */
export function isRedirect({ status, headers }: Omit<Incoming, 'body'>): boolean {
  return REDIRECTS.includes(status) && headers['location'] !== undefined
}

/**
 * Where a redirect leads and what is sent there: the method as the fetch standard changes it, no credentials and no
 * body to another origin, nothing at all from https to http.
 * @param left how many redirects may still be followed
 * @throws FetchStop
 */
export function nextHop(
  current: { readonly target: Target; readonly outgoing: Outgoing },
  { status, headers }: Incoming,
  rules: { readonly left: number; readonly allow: ReadonlySet<string> } & Pick<FetchRequest, 'secretHeaders'>,
): { readonly target: Target; readonly outgoing: Outgoing } {
  const { url, exempt } = current.target
  const text = headers['location'] ?? ''
  const next = URL.canParse(text, url.href) ? new URL(text, url) : undefined
  // A query can hold a secret, and messages get logged.
  const where = next ? `${next.protocol}//${next.host}${next.pathname}` : 'what is no URL'
  const stop = (why: string) =>
    new FetchStop({
      outcome: 'refused',
      reason: 'redirect',
      message: `${url.host} answered ${status} and redirects to ${where}, ${why}.`,
      status,
      location: next?.href ?? text,
    })
  if (rules.left <= 0) throw stop('which is one redirect more than may be followed')
  const target = readTarget(text, { allow: rules.allow, loopback: exempt === 'loopback' }, url)
  if (url.protocol === 'https:' && target.url.protocol === 'http:') throw stop('which is not encrypted')

  let { method, headers: sent, body } = current.outgoing
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST'
  if (becomesGet) {
    method = 'GET'
    sent = withoutBodyHeaders(sent)
    body = undefined
  }
  if (target.url.origin !== url.origin) {
    // The standard would send it, but whoever agreed to the request agreed to one destination of what it holds.
    if (body !== undefined) throw stop('another origin, which the body of the request is not meant for')
    sent = withoutSecrets(sent, rules.secretHeaders)
  }
  return { target, outgoing: { method, headers: sent, body } }
}
