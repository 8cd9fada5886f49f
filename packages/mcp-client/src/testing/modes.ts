import type { Mode } from './behaviour.js'
import * as calls from './modes/calls.js'
import * as lists from './modes/lists.js'
import * as processes from './modes/processes.js'
import * as start from './modes/start.js'

/** Everything that a hostile server can do. */
export const modes = { echo: () => ({}), ...start, ...lists, ...calls, ...processes } satisfies Record<string, Mode>

/** What a hostile server does. */
export type HostileMode = keyof typeof modes

export function modeOf(name: string): Mode {
  if (!Object.hasOwn(modes, name)) {
    throw new Error(`There is no mode "${name}". There are: ${Object.keys(modes).join(', ')}.`)
  }
  return modes[name as HostileMode]
}
