/**
 * What the agent needs of a machine, on Node (`@ext/agent-core/node`).
 * @module
 */
export { type FileSessionStoreOptions, fileSessionStore } from './sessions/store.js'
