import { SdkSession } from './sdk.js'
import type { Connect } from './session.js'
import { StdioCarrier } from './stdio.js'

/** Starts a program. */
export const connect: Connect = (endpoint, host) => {
  if (endpoint.kind === 'stdio') return new SdkSession(new StdioCarrier(endpoint, host), host)
  throw new Error(`${endpoint.url} is not reached yet`)
}
