/**
 * Approvals: what a person has agreed to (`@ext/kernel/trust`).
 * @module
 */
export {}
