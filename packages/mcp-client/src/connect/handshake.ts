import type { Greeting, SessionHost } from './session.js'
import type { Wire } from './wire.js'

/** Finds out who the server is and what it speaks. Rejects with whatever the SDK rejects with. */
export type Handshake = (wire: Wire, host: SessionHost) => Promise<Greeting>

/** Imports the SDK that shakes hands; before that, nothing of it is there. */
export type LoadHandshake = () => Promise<Handshake>

/** The longest that timers can wait: our own signals are the deadlines. */
export const NO_TIMEOUT: number = 2 ** 31 - 1

/** What both SDKs know of a server that has greeted. */
interface Greeted {
  getServerVersion(): { readonly name: string; readonly version: string } | undefined
  getServerCapabilities(): Capabilities | undefined
  getInstructions(): string | undefined
}

interface Capabilities {
  readonly tools?: { readonly listChanged?: boolean | undefined } | undefined
  readonly resources?:
    | { readonly listChanged?: boolean | undefined; readonly subscribe?: boolean | undefined }
    | undefined
  readonly prompts?: { readonly listChanged?: boolean | undefined } | undefined
  readonly logging?: object | undefined
  readonly completions?: object | undefined
}

export function greetingOf(client: Greeted, { protocolVersion }: Wire): Greeting {
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  const { tools, resources, prompts, logging, completions } = client.getServerCapabilities() ?? {}
  const instructions = client.getInstructions()
  return {
    name,
    version,
    protocolVersion,
    capabilities: {
      tools: tools !== undefined,
      toolsChange: tools?.listChanged === true,
      resources: resources !== undefined,
      resourcesChange: resources?.listChanged === true,
      subscribe: resources?.subscribe === true,
      prompts: prompts !== undefined,
      promptsChange: prompts?.listChanged === true,
      logging: logging !== undefined,
      completions: completions !== undefined,
    },
    ...(instructions === undefined ? {} : { instructions }),
  }
}
