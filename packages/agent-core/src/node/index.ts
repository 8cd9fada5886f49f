/**
 * Where an agent keeps things on a machine with files (`@ext/agent-core/node`): sessions, records of tool calls, and output of
 * tasks.
 * @module
 */
export { type AuditFile, auditFile } from './audit-file.js'
export { type FileSessionStoreOptions, fileSessionStore } from './sessions/store.js'
export { taskFiles } from './task-files.js'
