/**
 * Servers that other programs have configured, in our form (`@ext/mcp-client/import`).
 * @module
 */
export type { ForeignProgram } from './formats.js'
export { type ImportedServer, type ImportedServers, type ImportOptions, importServers } from './import.js'
