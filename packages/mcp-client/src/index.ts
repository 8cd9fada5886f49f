/**
 * `@ext/mcp-client`: configured MCP servers become tools of an agent. Every name here is public.
 * @module
 */
export { hookedElicitation } from './answer/hooked.js'
export { createMcpClient } from './client.js'
export { diagnosticCodes } from './codes.js'
export { loadServers } from './load.js'
export { toolName } from './registry/names.js'
export type * from './types.js'
