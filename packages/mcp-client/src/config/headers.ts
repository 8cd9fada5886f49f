import { isMap, joinPointer } from '@ext/kernel'
import type { Parts } from './parts.js'
import type { Fault } from './url.js'

/** They say how a message travels, which is not for configuration to say. */
const OF_CONNECTION: readonly string[] = [
  ...['host', 'content-length', 'connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'te', 'trailer'],
  ...['upgrade', 'expect'],
]

/** The client sets them as the protocol has them. */
const OF_PROTOCOL: readonly string[] = [
  ...['accept', 'content-type', 'mcp-session-id', 'mcp-protocol-version', 'last-event-id'],
]

/** Whether the client leaves a header out, because it sets it itself. */
export function isOfProtocol(name: string): boolean {
  return OF_PROTOCOL.includes(name.toLowerCase())
}

/** Checks headers as far as no variable has to be known. */
export function checkHeaders(parts: Parts): void {
  const { notes } = parts
  const headers = parts.at('/headers')
  const seen = new Map<string, string>()
  for (const [name, value] of Object.entries(isMap(headers) ? headers : {})) {
    const pointer = joinPointer('/headers', name)
    const known = name.toLowerCase()
    const twin = seen.get(known)
    seen.set(known, name)
    if (!/^[!#$%&'*+\-.^`|~\w]+$/.test(name)) {
      const message = `${JSON.stringify(name)} can't be the name of a header.`
      notes.error('mcp.header.invalid', pointer, message, 'Use letters, digits and -.', 'key')
    } else if (twin !== undefined) {
      const message = `\`${name}\` and \`${twin}\` are the same header.`
      notes.error('mcp.header.invalid', pointer, message, 'Keep one of the two.', 'key')
    } else if (OF_CONNECTION.includes(known)) {
      const message = `The header \`${name}\` belongs to the connection and can't be set.`
      notes.error('mcp.header.invalid', pointer, message, 'Remove it.', 'key')
    } else if (isOfProtocol(name)) {
      const message = `The header \`${name}\` is set by the client; what is written here is not sent.`
      notes.warning('mcp.header.unused', pointer, message, 'Remove it.', 'key')
    } else if (typeof value === 'string' && !value.includes('${')) {
      const fault = headerFault(value)
      if (fault) notes.error('mcp.header.invalid', pointer, `The header \`${name}\` ${fault.problem}.`, fault.hint)
    }
  }
}

/** Why a header can't have this value, which is not repeated. */
export function headerFault(value: string): Fault | undefined {
  if (/[\r\n\0]/.test(value)) {
    return { problem: 'has a line break or a NUL in its value', hint: 'Remove it; a value is one line.' }
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    const hint = 'Use ASCII; other text has to be encoded as the server expects it.'
    return { problem: 'has characters in its value that no header can carry', hint }
  }
  return undefined
}
