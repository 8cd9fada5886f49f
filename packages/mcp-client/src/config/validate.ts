import { checkSchema, isMap, type Located, type Outcome, parsePointer } from '@ext/kernel'
import type { ServerEntry } from './entry.js'
import { type Kind, readKind } from './kind.js'
import { readKeepAlive, readLimits, readReconnect, readTimeouts } from './limits.js'
import { notesOn } from './notes.js'
import { Parts, present } from './parts.js'
import { readRules } from './rules.js'
import { validateServer } from './validators.generated.js'
import { checkVariables } from './variables.js'
import { adapt } from './words.js'
import type { Written } from './written.js'

/** Says whether an entry of `mcpServers` is well formed. */
export function validate(input: Located<unknown>): Outcome<ServerEntry> {
  const name = parsePointer(input.pointer).at(-1) ?? ''
  const notes = notesOn(input)
  const { diagnostics } = notes
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    const message = `The server name ${JSON.stringify(name)} can't become part of a tool's name.`
    notes.error('mcp.name.invalid', '', message, 'Use 1 to 64 letters, digits, _ and -.', 'key')
    return { diagnostics }
  }
  const entry = adapt(input, notes)
  const parts = new Parts(entry, notes)
  const off = parts.at('/enabled') === false
  // What is switched off may be as it likes, as long as it says so.
  const kind = off ? undefined : readKind(parts, name)
  const read = {
    tools: readRules(parts),
    timeouts: readTimeouts(parts),
    keepAlive: readKeepAlive(parts),
    reconnect: readReconnect(parts),
    limits: readLimits(parts),
  }
  checkVariables(parts)
  const { value, diagnostics: found } = checkSchema<Written>(validateServer, withoutType(entry))
  notes.add(found)
  if (notes.failed || value === undefined) return { diagnostics }
  return {
    value: {
      name,
      enabled: !off,
      ...present({ transport: kind && transport(kind, value) }),
      trust: value.trust ?? false,
      ...read,
      required: value.required ?? [],
    },
    diagnostics,
  }
}

function transport(kind: Kind, written: Written): NonNullable<ServerEntry['transport']> {
  if (kind === 'stdio') {
    const { command = '', args = [], env = {}, cwd, inheritEnv = [] } = written
    const passed = typeof inheritEnv === 'string' && inheritEnv !== 'all' ? [inheritEnv] : inheritEnv
    return { kind, command, args, env, ...present({ cwd }), inheritEnv: passed as 'all' | readonly string[] }
  }
  const { url = '', expandUrl = false, headers = {}, listen = 'auto' } = written
  return { kind: 'http', url, expandUrl, headers, form: kind, listen }
}

/** It is decided already, and may have been said in the word of another program. */
function withoutType(entry: Located<unknown>): Located<unknown> {
  if (!isMap(entry.value)) return entry
  const { type: _, ...value } = entry.value
  return { ...entry, value }
}
