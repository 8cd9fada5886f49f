/**
 * What the agent needs of a machine, on Node (`@ext/agent-core/node`).
 * @module
 */
export { type NodeAuditLogOptions, nodeAuditLog } from './audit-log.js'
export { type FileSessionStoreOptions, fileSessionStore } from './sessions/store.js'
