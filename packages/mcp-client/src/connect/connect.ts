import type { Carrier } from './carrier.js'
import { HttpCarrier } from './http/http.js'
import { SseCarrier } from './http/sse.js'
import { SdkSession } from './sdk.js'
import type { Connect } from './session.js'
import { StdioCarrier } from './stdio.js'

/** Starts a program, or gets ready to ask a server over HTTP. */
export const connect: Connect = (endpoint, host) => {
  let carrier: Carrier
  if (endpoint.kind === 'stdio') carrier = new StdioCarrier(endpoint, host)
  else if (endpoint.form === 'sse') carrier = new SseCarrier(endpoint, host)
  else carrier = new HttpCarrier(endpoint, host)
  return new SdkSession(carrier, host)
}
