/**
 * `@ext/hooks`: runs what configuration says at the moments of a session, and names every hook that can't take effect.
 * Every name here is public.
 * @module
 */
import type { Hooks, HooksOptions } from './types.js'

export { diagnosticCodes } from './codes.js'
export { unfiredEvents } from './event-names.js'
export { events } from './events.js'
export { defineHook } from './function.js'
export { summarizeLedger } from './stats.js'
export type * from './types.js'

/**
 * Loads hooks and runs them when told what happens.
 * Bad configuration is in `diagnostics` and costs only the hook that it concerns.
 * @throws ExtError `kernel.reader.unknown` for a layer of a dialect that hooks do not have
 */
export async function createHooks(options: HooksOptions): Promise<Hooks> {
  const { openHooks } = await import('./engine.js')
  return openHooks(options)
}
