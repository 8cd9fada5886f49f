/**
 * What two packages must agree on, as types. Type-only entry (`@ext/kernel/contract`).
 * The package that makes a value decides what is in it; everyone else only reads.
 * @module
 */
export type * from './contract/conversation.js'
export type * from './contract/json.js'
export type * from './contract/lifecycle.js'
export type * from './contract/permission.js'
export type * from './contract/session.js'
export type * from './contract/terms.js'
export type * from './contract/tools.js'
export type * from './contract/trace.js'
