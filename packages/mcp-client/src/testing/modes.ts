import type { Mode } from './behaviour.js'
import * as calls from './modes/calls.js'
import * as lists from './modes/lists.js'
import * as offers from './modes/offers.js'
import * as processes from './modes/processes.js'
import * as start from './modes/start.js'
import { stateless } from './revision.js'

type ModeName =
  | 'echo'
  | keyof typeof start
  | keyof typeof lists
  | keyof typeof calls
  | keyof typeof offers
  | keyof typeof processes

const modes: Readonly<Record<ModeName, Mode>> = {
  echo: () => ({}),
  ...start,
  ...lists,
  ...calls,
  ...offers,
  ...processes,
}

/**
 * What a hostile server does; `echo` is hostile in no way. With `@2026` behind it, it is said in revision 2026-07-28 of MCP,
 * which knows no sessions, and in no other one.
 */
export type HostileMode = ModeName | `${ModeName}@2026`

const STATELESS = '@2026'

/** Whether a mode is spoken without sessions. */
export function isStateless(mode: string): boolean {
  return mode.endsWith(STATELESS)
}

export function modeOf(mode: string): Mode {
  const name = isStateless(mode) ? mode.slice(0, -STATELESS.length) : mode
  if (!Object.hasOwn(modes, name)) {
    throw new Error(`There is no mode "${name}". There are: ${Object.keys(modes).join(', ')}.`)
  }
  const found = modes[name as ModeName]
  return isStateless(mode) ? stateless(name, found) : found
}
