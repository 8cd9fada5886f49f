/**
 * Built-in tools (`@ext/agent-core/tools`). They reach the machine through ports alone.
 * @module
 */
export type { FileToolLimits, FileToolOptions } from './files/host.js'
export { fileTools } from './files/index.js'
export { type ShellToolOptions, shellTool } from './shell.js'
export { type WebFetchToolOptions, webFetchTool } from './web/fetch.js'
