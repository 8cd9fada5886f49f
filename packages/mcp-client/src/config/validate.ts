import { checkSchema, isMap, type Located, type Outcome, parsePointer } from '@ext/kernel'
import { checkCommand } from './command.js'
import type { Protocol, ServerEntry } from './entry.js'
import { checkHeaders, isOfProtocol } from './headers.js'
import { type Kind, readKind } from './kind.js'
import { readKeepAlive, readLimits, readReconnect, readTimeouts } from './limits.js'
import { notesOn } from './notes.js'
import { Parts, present } from './parts.js'
import { variablesOf } from './references.js'
import { readRules } from './rules.js'
import { urlFault } from './url.js'
import { validateServer } from './validators.generated.js'
import { checkVariables } from './variables.js'
import { adapt, OTHER_WORDS } from './words.js'
import type { Written } from './written.js'

/** Says whether an entry of `mcpServers` is well formed. */
export function validate(input: Located<unknown>): Outcome<ServerEntry> {
  const name = parsePointer(input.pointer).at(-1) ?? ''
  const notes = notesOn(input)
  const { diagnostics } = notes
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    const message = `The server name ${JSON.stringify(name)} can't become part of a tool's name.`
    notes.error('mcp.name.invalid', '', message, `Use 1 to 64 letters, digits, _ and -${similar(name)}.`, 'key')
    return { diagnostics }
  }
  if (!isMap(input.value)) return { diagnostics: checkSchema(validateServer, input).diagnostics }
  if (name.includes('__') || name.endsWith('_')) {
    const message = `The server name \`${name}\` makes full names of tools that could be read in two ways.`
    notes.warning('mcp.name.unclear', '', message, 'They end with a hash; use single _ inside the name instead.', 'key')
  }
  const entry = adapt(input, notes)
  const parts = new Parts(entry, notes)
  const off = parts.at('/enabled') === false
  // What is switched off may be as it likes, as long as it says so.
  const kind = off ? undefined : readKind(parts, name)
  const read = {
    tools: readRules(parts, name),
    timeouts: readTimeouts(parts),
    ...present({ keepAlive: readKeepAlive(parts) }),
    reconnect: readReconnect(parts),
    limits: readLimits(parts),
  }
  checkVariables(parts)
  if (kind === 'stdio') checkCommand(parts)
  else if (kind !== undefined) {
    checkHeaders(parts)
    checkUrl(parts)
    if (kind === 'sse') checkForm(parts)
  }
  const { value, diagnostics: found } = checkSchema<Written>(validateServer, withoutType(entry), OTHER_WORDS)
  // What an entry lacks to be started or reached has been said, in better words.
  notes.add(found.filter(({ code, pointer }) => code !== 'schema.required' || pointer !== input.pointer))
  if (notes.failed || value === undefined) return { diagnostics }
  const spoken = kind && transport(kind, value)
  return {
    value: {
      name,
      enabled: !off,
      ...present({ transport: spoken }),
      variables: spoken ? variablesOf(spoken, input.source.dialect === 'claude-mcp') : [],
      trust: value.trust ?? false,
      lazy: value.lazy ?? false,
      ...read,
      required: value.required ?? [],
    },
    diagnostics,
  }
}

/** A valid name that looks like this one. */
function similar(name: string): string {
  const letters = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '')
  return letters === '' ? '' : `, such as \`${letters}\``
}

/** Checks an address in which nothing is expanded. */
function checkUrl(parts: Parts): void {
  const url = parts.at('/url')
  if (typeof url !== 'string' || url === '' || url.includes('${')) return
  const fault = urlFault(url)
  if (fault) parts.notes.error('mcp.url.invalid', '/url', `\`url\` ${fault.problem}.`, fault.hint)
}

/** The older form was given up before the revision that is asked for. */
function checkForm(parts: Parts): void {
  if (String(parts.at('/protocol')) !== '2026') return
  const message = '`type: sse` is not spoken in the revision of 2026.'
  parts.notes.error('mcp.protocol.conflict', '/protocol', message, 'Write `type: http`, or remove `protocol`.')
}

function transport(kind: Kind, written: Written): NonNullable<ServerEntry['transport']> {
  const protocol = String(written.protocol ?? 'auto') as Protocol
  if (kind === 'stdio') {
    const { command = '', args = [], env = {}, cwd, inheritEnv = [] } = written
    const passed = typeof inheritEnv === 'string' && inheritEnv !== 'all' ? [inheritEnv] : inheritEnv
    const inherited = passed as 'all' | readonly string[]
    return { kind, command, args, env, ...present({ cwd }), inheritEnv: inherited, protocol }
  }
  const { url = '', expandUrl = false, headers = {}, listen = 'auto' } = written
  const sent = Object.entries(headers).filter(([name]) => !isOfProtocol(name))
  return { kind: 'http', url, expandUrl, headers: Object.fromEntries(sent), form: kind, listen, protocol }
}

/** It is decided already, and may have been said in the word of another program. */
function withoutType(entry: Located<unknown>): Located<unknown> {
  if (!isMap(entry.value)) return entry
  const { type: _, ...value } = entry.value
  return { ...entry, value }
}
