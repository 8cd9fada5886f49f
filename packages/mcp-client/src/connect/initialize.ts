import { isMap } from '@ext/kernel'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { greetingOf, type LoadHandshake, NO_TIMEOUT } from './handshake.js'
import { Refusal, refusalIn } from './http/faults.js'
import { Fault } from './session.js'

/** The SDK would make one of Ajv for each client, for calls that are not made here. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
}

/** With `@modelcontextprotocol/sdk`, which speaks the revisions up to 2025-11-25. */
export const loadInitialize: LoadHandshake = async () => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  return async (wire, { clientInfo, answering }) => {
    const capabilities = { ...answering?.capabilities }
    const client = new Client(clientInfo, { capabilities, jsonSchemaValidator: NO_VALIDATOR })
    // Without the signal: a client must not cancel `initialize`.
    await client.connect(wire, { timeout: NO_TIMEOUT }).catch((error: unknown) => {
      throw tooNew(error) ?? error
    })
    return greetingOf(client, wire)
  }
}

/** `UnsupportedProtocolVersion`: how a server that knows no `initialize` says so. */
const UNSUPPORTED = -32022

/** What it means that a server refuses to shake hands, if that is because it no longer does. */
function tooNew(error: unknown): Fault | undefined {
  const { data } = error as { readonly data?: unknown }
  const refused = data instanceof Refusal ? refusalIn(data.body) : error
  if (!isMap(refused) && !(refused instanceof Error)) return undefined
  const { code, data: details } = refused as { readonly code?: unknown; readonly data?: unknown }
  const supported = isMap(details) && Array.isArray(details['supported']) ? details['supported'] : []
  if (code !== UNSUPPORTED || supported.length === 0) return undefined
  const hint =
    'Run `npm install @modelcontextprotocol/client`. For a program, and where it says `protocol: 2025`, write `protocol: 2026` too.'
  return new Fault('protocol', `speaks only revision ${supported.join(', ')} of MCP`, {
    cause: error,
    final: true,
    hint,
  })
}
