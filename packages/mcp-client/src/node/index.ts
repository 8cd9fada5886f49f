/**
 * Where the MCP client keeps things on a machine with files (`@ext/mcp-client/node`): definitions of tools, approved ones and
 * those of lazy servers, what is cut from large results, and what servers write to stderr.
 * @module
 */
export { logFileOf, type NodeLogs, type NodeLogsOptions, nodeLogs } from './logs.js'
export { nodePins } from './pins.js'
export { type NodeSpillOptions, nodeSpill } from './spill.js'
export { nodeToolCache } from './tool-cache.js'
