import type { Era, Eras } from './eras.js'
import { greetingOf, type Handshake, type LoadHandshake, NO_TIMEOUT } from './handshake.js'
import { loadInitialize } from './initialize.js'
import { Fault } from './session.js'
import { isStateless, REVISION } from './stateless/meta.js'

const PACKAGE = '@modelcontextprotocol/client'

/** With `@modelcontextprotocol/client`: revision 2026-07-28 and nothing else. */
export const loadDiscover: LoadHandshake = async () => {
  const sdk = await importClient()
  if (sdk) return handshake(sdk, '2026')
  const message = `can't be spoken to in revision ${REVISION}: the package ${PACKAGE} is not installed`
  const hint = `Run \`npm install ${PACKAGE}\`, or write \`protocol: auto\`.`
  throw new Fault('protocol', message, { effect: 'none', final: true, hint })
}

/**
 * With `@modelcontextprotocol/client`: what the server at this address speaks, which is asked once and then known. Without
 * the package, the revisions of 2025.
 */
export function loadEither(url: string, eras: Eras): LoadHandshake {
  return async () => {
    const sdk = await importClient()
    if (!sdk) return loadInitialize()
    return async (wire, host) => {
      try {
        const greeting = await handshake(sdk, eras.of(url) ?? 'auto')(wire, host)
        eras.learn(url, isStateless(greeting.protocolVersion) ? '2026' : '2025')
        return greeting
      } catch (error) {
        const wasKnown = eras.of(url) !== undefined
        eras.forget(url)
        // Without what was known, the next attempt may well succeed.
        if (!wasKnown || !(error instanceof Fault) || error.kind !== 'protocol') throw error
        throw new Fault('protocol', error.message, { cause: error })
      }
    }
  }
}

type Sdk = typeof import('@modelcontextprotocol/client')

/** @param era what the server is known to speak, or has to speak */
function handshake(
  { Client, SdkError, SdkErrorCode, UnsupportedProtocolVersionError }: Sdk,
  era: Era | 'auto',
): Handshake {
  return async (wire, { clientInfo, answering }) => {
    const mode = { auto: 'auto', '2025': 'legacy', '2026': { pin: REVISION } } as const
    // Without a validator the SDK makes one of Ajv when a tool is called, which happens past it.
    const capabilities = { ...answering?.capabilities }
    const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: mode[era] } })
    try {
      await client.connect(wire, { timeout: NO_TIMEOUT })
    } catch (error) {
      // The SDK makes a verdict out of whatever its question dies of.
      if (wire.handshakeFault) throw wire.handshakeFault
      const supported = error instanceof UnsupportedProtocolVersionError ? error.supported : undefined
      if (!supported && !(error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed)) throw error
      const message = supported
        ? `speaks only ${supported.join(', ')}, and not revision ${REVISION} of MCP`
        : `does not speak revision ${REVISION} of MCP`
      throw new Fault('protocol', message, {
        cause: error,
        final: true,
        hint: supported ? 'Look for another version of the server.' : 'Write `protocol: auto` or `protocol: 2025`.',
      })
    }
    return greetingOf(client, wire)
  }
}

/** `undefined` where the package is not installed; one that is broken is not the same. */
async function importClient(): Promise<Sdk | undefined> {
  try {
    return await import('@modelcontextprotocol/client')
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${PACKAGE}'`)) return undefined
    throw error
  }
}
