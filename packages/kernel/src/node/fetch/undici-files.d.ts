// The client alone: the main module of undici takes four times as long to load, and puts its own agent under the global
// `fetch` of the host. These files have no types of their own; the version of undici is pinned, so that they are there.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export = buildConnector
}
