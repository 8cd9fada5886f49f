import { describe, suggest } from '@ext/kernel'

import type { Parts } from './parts.js'

/** How a server is spoken to. */
export type Kind = 'stdio' | 'http' | 'sse'

const KINDS: readonly Kind[] = ['stdio', 'http', 'sse']

/** Words of other programs for the same. */
const SAME: Readonly<Record<string, Kind>> = {
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  remote: 'http',
  local: 'stdio',
}

/** Ways of speaking that other programs know. */
const NOT_HERE: readonly string[] = ['ws', 'wss', 'websocket', 'sdk', 'inprocess', 'builtin']

const OF_STDIO = ['command', 'args', 'env', 'cwd', 'inheritEnv']
const OF_HTTP = ['url', 'headers', 'expandUrl', 'listen']

/** Says how a server is spoken to: by `type`, or by what there is to start or to reach. `undefined` with a reason. */
export function readKind(parts: Parts, server: string): Kind | undefined {
  const { notes } = parts
  const kind = parts.at('/type') === undefined ? inferred(parts, server) : named(parts.at('/type'), parts, server)
  if (kind === undefined) return undefined
  const [needs, others] = kind === 'stdio' ? (['command', OF_HTTP] as const) : (['url', OF_STDIO] as const)
  if (parts.at(`/${needs}`) === undefined) {
    const message = `\`${server}\` is of type ${kind} and has no \`${needs}\`.`
    notes.error('mcp.transport.missing', '', message, typo(parts, [needs]) ?? hintFor(kind, parts))
    return undefined
  }
  for (const field of others) {
    if (parts.at(`/${field}`) === undefined) continue
    const message = `\`${field}\` has no effect on a server of type ${kind}.`
    notes.warning('mcp.field.no-effect', `/${field}`, message, `Remove \`${field}\`.`, 'key')
  }
  return kind
}

function hintFor(kind: Kind, parts: Parts): string {
  if (kind === 'stdio' && parts.at('/url') !== undefined) return 'It has a `url`: write `type: http`.'
  if (kind !== 'stdio' && parts.at('/command') !== undefined) return 'It has a `command`: write `type: stdio`.'
  return kind === 'stdio' ? 'Add `command`, the program to start.' : 'Add `url`, the address of the server.'
}

function inferred(parts: Parts, server: string): Kind | undefined {
  const [command, url] = [parts.at('/command'), parts.at('/url')]
  if (command !== undefined && url !== undefined) {
    const message = `\`${server}\` has a \`command\` and a \`url\`, so it is not clear which one is meant.`
    parts.notes.error('mcp.transport.unclear', '/url', message, 'Remove one of the two, or add `type`.', 'key')
    return undefined
  }
  if (command !== undefined) return 'stdio'
  if (url !== undefined) return 'http'
  const message = `\`${server}\` has neither a \`command\` nor a \`url\`.`
  const hint = 'Add `command`, the program to start, or `url`, the address of the server.'
  parts.notes.error('mcp.transport.missing', '', message, typo(parts, ['command', 'url']) ?? hint)
  return undefined
}

function named(type: unknown, { notes }: Parts, server: string): Kind | undefined {
  if (KINDS.some((kind) => kind === type)) return type as Kind
  const expected = `Use one of: ${KINDS.join(', ')}.`
  if (typeof type !== 'string') {
    notes.error('mcp.type.invalid', '/type', `\`type\` is ${describe(type)}, not a text.`, expected)
    return undefined
  }
  if (type.trim() === '') {
    const message = `\`type\` of \`${server}\` is empty.`
    notes.error('mcp.type.empty', '/type', message, `Remove it, so that \`command\` or \`url\` decides. ${expected}`)
    return undefined
  }
  const same = Object.hasOwn(SAME, type) ? SAME[type] : undefined
  if (same !== undefined) {
    const message = `\`type: ${type}\` is read as \`${same}\`.`
    notes.info('mcp.field.foreign', '/type', message, `Write \`type: ${same}\`.`)
    return same
  }
  if (NOT_HERE.includes(type.toLowerCase())) {
    const message = `\`${server}\` is of type ${type}, which is not spoken here.`
    const hint = 'Use its stdio or http form if it has one; remove the entry otherwise.'
    notes.error('mcp.transport.unsupported', '/type', message, hint)
    return undefined
  }
  const meant = suggest(type, [...KINDS, ...Object.keys(SAME)])
  const hint = meant === undefined ? expected : `Did you mean \`${SAME[meant] ?? meant}\`?`
  notes.error('mcp.type.invalid', '/type', `\`type\` is ${describe(type)}, which is not known.`, hint)
  return undefined
}

/** A field that was meant to be one of these. */
function typo(parts: Parts, fields: readonly string[]): string | undefined {
  const written = Object.keys(parts.entry.value as object)
  for (const field of fields) {
    const found = suggest(field, written)
    if (found !== undefined) return `Did you mean \`${field}\` where it says \`${found}\`?`
  }
  return undefined
}
