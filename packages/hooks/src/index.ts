/**
 * `@ext/hooks`: runs what configuration says at the moments of a session, and names every hook that can't take effect.
 * Every name here is public.
 * @module
 */
export { diagnosticCodes } from './codes.js'
export { events } from './events.js'
export { createHooks } from './hooks.js'
export type * from './types.js'
