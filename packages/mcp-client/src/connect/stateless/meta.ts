import type { JsonObject } from '@ext/kernel/contract'
import type { ClientCapabilities, SessionHost } from '../session.js'

/** The first revision of MCP in which every request says all about itself, so that there are no sessions. */
export const REVISION = '2026-07-28'

/** Where a message says it. */
export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'

/** Revisions are dates. */
export function isStateless(protocolVersion: string): boolean {
  return protocolVersion >= REVISION
}

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/**
 * What each message says about itself: `_meta` of MCP 2026-07-28, "Base protocol".
 * @param logLevel from which level on the server may log while it works on a request; absent: it may not
 */
export function metaOf(
  protocolVersion: string,
  { clientInfo, answering }: Pick<SessionHost, 'clientInfo' | 'answering'>,
  logLevel?: string,
): JsonObject {
  return {
    [PROTOCOL_VERSION]: protocolVersion,
    'io.modelcontextprotocol/clientInfo': { ...clientInfo },
    'io.modelcontextprotocol/clientCapabilities': toJson(answering?.capabilities ?? {}),
    ...(logLevel === undefined ? {} : { [LOG_LEVEL]: logLevel }),
  }
}

/** Nobody tells a server without sessions that the roots are different. */
function toJson({ roots, ...rest }: ClientCapabilities): JsonObject {
  return { ...(roots ? { roots: {} } : {}), ...rest } as JsonObject
}
