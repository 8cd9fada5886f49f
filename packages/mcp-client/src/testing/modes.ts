import type { Mode } from './behaviour.js'
import * as calls from './modes/calls.js'
import * as lists from './modes/lists.js'
import * as offers from './modes/offers.js'
import * as processes from './modes/processes.js'
import * as start from './modes/start.js'

/** What a hostile server does. `echo` is hostile in no way. */
export type HostileMode =
  | 'echo'
  | keyof typeof start
  | keyof typeof lists
  | keyof typeof calls
  | keyof typeof offers
  | keyof typeof processes

const modes: Readonly<Record<HostileMode, Mode>> = {
  echo: () => ({}),
  ...start,
  ...lists,
  ...calls,
  ...offers,
  ...processes,
}

export function modeOf(name: string): Mode {
  if (!Object.hasOwn(modes, name)) {
    throw new Error(`There is no mode "${name}". There are: ${Object.keys(modes).join(', ')}.`)
  }
  return modes[name as HostileMode]
}
