import type { JsonObject } from '@ext/kernel/contract'
import type { SessionHost } from '../session.js'

/** The first revision of MCP in which every request says all about itself, so that there are no sessions. */
export const REVISION = '2026-07-28'

/** Where a message says it. */
export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'

/** Revisions are dates. */
export function isStateless(protocolVersion: string): boolean {
  return protocolVersion >= REVISION
}

/** What each message says about itself: `_meta` of MCP 2026-07-28, "Base protocol". */
export function metaOf(protocolVersion: string, { clientInfo }: Pick<SessionHost, 'clientInfo'>): JsonObject {
  return {
    [PROTOCOL_VERSION]: protocolVersion,
    'io.modelcontextprotocol/clientInfo': { ...clientInfo },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}
