/**
 * Built-in tools (`@ext/agent-core/tools`).
 * @module
 */
export { type ShellToolOptions, shellTool } from './shell.js'
