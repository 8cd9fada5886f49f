import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { greetingOf, type LoadHandshake, NO_TIMEOUT } from './handshake.js'

/** The SDK would make one of Ajv for each client, for calls that are not made here. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
}

/** With `@modelcontextprotocol/sdk`, which speaks the revisions up to 2025-11-25. */
export const loadInitialize: LoadHandshake = async () => {
  const [{ Client }, { ToolListChangedNotificationSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return async (wire, { clientInfo, onToolsChanged }) => {
    const client = new Client(clientInfo, { capabilities: {}, jsonSchemaValidator: NO_VALIDATOR })
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => onToolsChanged?.())
    // Without the signal: a client must not cancel `initialize`.
    await client.connect(wire, { timeout: NO_TIMEOUT })
    return greetingOf(client, wire)
  }
}
