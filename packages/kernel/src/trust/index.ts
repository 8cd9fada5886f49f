/**
 * Approvals: what a person has agreed to, by content (`@ext/kernel/trust`).
 * @module
 */
export { consentTo } from './consent.js'
export { describeSubject } from './text.js'
export { createTrust, type Trust, type TrustOptions } from './trust.js'
export type * from './types.js'
