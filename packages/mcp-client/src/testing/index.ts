/**
 * `@ext/mcp-client/testing`: servers that misbehave, over stdio and over HTTP, for tests of whatever talks to MCP
 * servers. They are real ones; nothing of a client is replaced. For Node.
 * @module
 */
import type { HostileMode } from './modes.js'

export type { HttpRequest, HttpResponse, HttpServer, HttpServerOptions } from './http.js'
export { serveHostile } from './http.js'
export type { HostileMode } from './modes.js'
export { runHostileServer } from './stdio.js'

const RUN = 'import(process.argv[1]).then((testing) => testing.runHostileServer(...process.argv.slice(2)))'

/** The entry of a server over stdio that does what the mode says, for `mcpServers`. */
export function hostileServer(
  mode: HostileMode,
  ...args: readonly string[]
): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: ['-e', RUN, import.meta.url, mode, ...args] }
}
