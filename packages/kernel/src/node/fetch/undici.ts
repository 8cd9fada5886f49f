import type { buildConnector, Client } from 'undici'

/** The parts of undici that are used. */
export interface Undici {
  readonly Client: typeof Client
  readonly buildConnector: typeof buildConnector
}

/**
 * Loads the client alone. The main module of undici would take four times as long and put its own agent under the
 * global `fetch` of the host. Its version is pinned, so that these files are there.
 */
export async function loadUndici(): Promise<Undici> {
  const [client, connect] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/connect.js'),
  ])
  return { Client: client.default, buildConnector: connect.default }
}
