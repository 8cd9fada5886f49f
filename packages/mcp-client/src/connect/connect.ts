import type { Endpoint, Remote } from '../compiled.js'
import { loadDiscover, loadEither } from './discover.js'
import { EitherCarrier } from './http/either.js'
import { HttpCarrier } from './http/http.js'
import { SseCarrier } from './http/sse.js'
import { StatelessCarrier } from './http/stateless.js'
import { loadInitialize } from './initialize.js'
import { SdkSession, type SdkSessionOptions } from './sdk.js'
import type { Connect, SessionHost } from './session.js'
import { StdioCarrier } from './stdio.js'

/** Starts a program, or gets ready to ask a server over HTTP. */
export const connect: Connect = (endpoint, host) => new SdkSession(optionsFor(endpoint, host), host)

function optionsFor(endpoint: Endpoint, host: SessionHost): SdkSessionOptions {
  if (endpoint.kind === 'http') {
    const { carrier, load } = overHttp(endpoint, host)
    return { carrier, load, overHttp: true, listens: endpoint.listen === 'auto' }
  }
  const load = endpoint.protocol === '2026' ? loadDiscover : loadInitialize
  return { carrier: new StdioCarrier(endpoint, host), load, overHttp: false, listens: true }
}

function overHttp(remote: Remote, host: SessionHost): Pick<SdkSessionOptions, 'carrier' | 'load'> {
  if (remote.form === 'sse') return { carrier: new SseCarrier(remote, host), load: loadInitialize }
  switch (remote.protocol) {
    case '2025':
      return { carrier: new HttpCarrier(remote, host), load: loadInitialize }
    case '2026':
      return { carrier: new StatelessCarrier(remote, host), load: loadDiscover }
    case 'auto':
      return { carrier: new EitherCarrier(remote, host), load: loadEither(remote.url, host.eras) }
  }
}
