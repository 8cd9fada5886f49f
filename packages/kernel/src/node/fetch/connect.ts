import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector as Undici } from 'undici'
import buildConnector from 'undici/lib/core/connect.js'
import Client from 'undici/lib/dispatcher/client.js'
import { checkedAddresses, type Resolver } from './resolve.js'
import { explain, failed } from './stop.js'
import { hostAndPort, type Target } from './url.js'

/** Errors from before the first byte. */
const DIAL_ERRORS = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|EACCES|EPERM|EMFILE|ENFILE)$/

/** What a connection needs to know. */
export interface Route {
  readonly target: Target
  readonly proxy: URL | undefined
  readonly resolve: Resolver
  /** Certificates to trust, instead of those of Node. */
  readonly ca: readonly string[] | undefined
  /** Ends the connection at any time. */
  readonly signal: AbortSignal
}

/**
 * Makes the connection of one request. The check of the addresses and the dialling are one step: what was checked is
 * dialled, and nobody is asked again for the addresses of the name.
 */
export function guardedConnector(route: Route): Undici.connector {
  return connectorOf((options) => open(route, options))
}

function connectorOf(connect: (options: Undici.Options) => Promise<Socket>): Undici.connector {
  return (options, callback) => {
    void connect(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error as Error, null),
    )
  }
}

async function open(route: Route, options: Undici.Options): Promise<Socket> {
  const { target, proxy, resolve, signal } = route
  // Whoever allowed a host and port may mean a name that only the proxy knows.
  if (proxy && target.exempt === 'allowed') return tunnel(route, proxy, options)
  const addresses = await checkedAddresses(options.hostname, target.exempt, resolve)
  signal.throwIfAborted()
  if (proxy) return tunnel(route, proxy, options)
  return dial(route, options, { lookup: fixedLookup(addresses), autoSelectFamily: true })
}

/** Answers with all addresses that were checked, of which one after the other is tried. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, _options, callback) => callback(null, all)
}

function dial(
  { ca, signal }: Route,
  options: Undici.Options,
  more: { readonly lookup?: LookupFunction; readonly autoSelectFamily?: boolean } = {},
): Promise<Socket> {
  const connect = buildConnector({
    // The time cap of the request is the only one, and no session outlives its connection.
    timeout: 0,
    maxCachedSessions: 0,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED can't switch it off.
    rejectUnauthorized: true,
    signal,
    ...(ca && { ca: [...ca] }),
    ...more,
  })
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => {
      if (socket) return resolve(socket)
      const { code = '' } = error as { readonly code?: string }
      const reason = options.protocol === 'https:' && !DIAL_ERRORS.test(code) ? 'tls' : 'connection'
      reject(failed(reason, `There is no connection to ${options.host ?? options.hostname}: ${explain(error)}.`))
    })
  })
}

/** Asks a proxy for a connection to the target, for http as for https. */
async function tunnel(route: Route, proxy: URL, options: Undici.Options): Promise<Socket> {
  const socket = await askProxy(route, proxy)
  if (options.protocol !== 'https:') return socket
  return dial(route, { ...options, httpSocket: socket })
}

async function askProxy(route: Route, proxy: URL): Promise<Socket> {
  const authority = hostAndPort(route.target.url)
  const client = new Client(proxy.origin, {
    connect: connectorOf((options) => dial(route, options)),
    headersTimeout: 0,
  })
  try {
    return await new Promise((resolve, reject) => {
      const unusable = (why: string) => reject(failed('proxy', `The proxy ${proxy.host} made no connection: ${why}.`))
      client.dispatch(
        { method: 'CONNECT', path: authority, headers: { host: authority, ...credentialsOf(proxy) } },
        {
          onRequestStart: () => {},
          onRequestUpgrade: (_controller, status, _headers, socket) => {
            if (status >= 200 && status < 300) return resolve(socket as Socket)
            socket.on('error', () => {}).destroy()
            return unusable(`it answered ${status}`)
          },
          onResponseError: (_controller, error) => unusable(explain(error)),
        },
      )
    })
  } finally {
    // The socket is no longer the client's once the proxy has connected it.
    void client.destroy()
  }
}

function credentialsOf(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {}
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
