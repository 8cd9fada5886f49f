import { type Behaviour, type Handler, type Incoming, type Mode, type Mouth, USUAL } from './behaviour.js'
import { Rounds } from './rounds.js'

/** The revision without sessions. */
export const REVISION = '2026-07-28'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const NOT_THERE = -32601
const UNSUPPORTED = -32022

/** What a mode does, said as revision 2026-07-28 of MCP has it, and in no other one. */
export function stateless(name: string, mode: Mode): Mode {
  return (...args) => {
    const behaviour = mode(...args)
    const speaker = new Speaker(name, behaviour)
    const own = Object.entries({ ...USUAL, ...behaviour.on }).map(
      ([method, handler]) => [method, speaker.through(handler)] as const,
    )
    return {
      ...behaviour,
      on: {
        ...Object.fromEntries(own),
        initialize: ({ id }, mouth) => {
          const data = { supported: [REVISION], requested: '2025-11-25' }
          mouth.send({ id, error: { code: UNSUPPORTED, message: 'Unsupported protocol version', data } })
        },
        'tools/call': (incoming, mouth) => speaker.call(incoming, mouth),
        'notifications/cancelled': (incoming, mouth) => speaker.cancelled(incoming, mouth),
        ping: ({ id }, mouth) => mouth.send({ id, error: { code: NOT_THERE, message: 'no such method' } }),
        'server/discover': (incoming, mouth) => speaker.discover(incoming, mouth),
        'subscriptions/listen': (incoming, mouth) => speaker.listen(incoming, mouth),
      },
    }
  }
}

class Speaker {
  readonly #name: string
  readonly #behaviour: Behaviour
  readonly #rounds = new Rounds()
  /** Who hears of changes, by the request that asked for it. */
  readonly #listeners = new Map<unknown, Mouth>()

  constructor(name: string, behaviour: Behaviour) {
    this.#name = name
    this.#behaviour = behaviour
  }

  through(handler: Handler): Handler {
    return (incoming, mouth) => handler(incoming, this.#mouth(mouth))
  }

  /** What it says on `initialize`, in the words of `server/discover`. */
  discover({ id, ...incoming }: Incoming, mouth: Mouth): void {
    const { on = {}, capabilities = { tools: {} } } = this.#behaviour
    const greeting = { serverInfo: { name: this.#name, version: '1' }, capabilities, protocolVersion: REVISION }
    const usual: Handler = (_incoming, { send }) => send({ id, result: greeting })
    const say: Mouth = { ...mouth, send: (message) => mouth.send(asDiscovered(message)) }
    const greet = on['initialize'] ?? usual
    greet({ ...incoming, ...(id === undefined ? {} : { id }), method: 'initialize' }, say)
  }

  call(incoming: Incoming, mouth: Mouth): void {
    const { on = {} } = this.#behaviour
    this.#rounds.call(on['tools/call'] ?? (USUAL['tools/call'] as Handler), on[''], incoming, this.#mouth(mouth))
  }

  cancelled(incoming: Incoming, mouth: Mouth): void {
    if (this.#listeners.delete(incoming.params?.['requestId'])) return
    const own = this.#behaviour.on?.['notifications/cancelled'] ?? USUAL['notifications/cancelled']
    own?.(incoming, mouth)
  }

  listen({ id, params: asked }: Incoming, mouth: Mouth): void {
    this.#listeners.set(id, mouth)
    const notifications = (asked?.['notifications'] ?? {}) as { readonly resourceSubscriptions?: readonly string[] }
    for (const uri of notifications.resourceSubscriptions ?? []) {
      this.#behaviour.on?.['resources/subscribe']?.({ params: { uri } }, { ...mouth, send: () => {} })
    }
    const params = { _meta: { [SUBSCRIPTION]: id }, notifications }
    mouth.send({ method: 'notifications/subscriptions/acknowledged', params })
  }

  #mouth(mouth: Mouth): Mouth {
    return {
      ...mouth,
      send: (message) => {
        if ('method' in message && /\/(list_changed|updated)$/.test(String(message.method))) this.#tell(message)
        else mouth.send('result' in message ? { ...message, result: complete(message.result) } : message)
      },
    }
  }

  #tell(message: object): void {
    const { params } = message as { readonly params?: object }
    for (const [id, mouth] of this.#listeners) {
      mouth.send({ ...message, params: { ...params, _meta: { [SUBSCRIPTION]: id } } })
    }
  }
}

function complete(result: unknown): unknown {
  return typeof result === 'object' && result !== null ? { resultType: 'complete', ...result } : result
}

function asDiscovered(message: object): object {
  const { result } = message as { readonly result?: Readonly<Record<string, unknown>> }
  if (!result) return message
  const { protocolVersion, serverInfo, ...rest } = result
  const version = /^2025-/.test(String(protocolVersion)) ? REVISION : protocolVersion
  return {
    ...message,
    result: {
      ...rest,
      resultType: 'complete',
      supportedVersions: [version],
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    },
  }
}

interface Refusal {
  readonly code: number
  readonly message: string
}

/** Why a request is refused: its headers have to say what its body says. */
export function headerFault(
  headers: { readonly [name: string]: string | readonly string[] | undefined },
  { id, method, params }: Incoming,
): Refusal | undefined {
  const meta = (params?.['_meta'] ?? {}) as Readonly<Record<string, unknown>>
  const version = meta['io.modelcontextprotocol/protocolVersion']
  if (version === undefined) {
    return { code: id === undefined ? -32600 : -32602, message: 'The request does not say which revision it speaks' }
  }
  const subject = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }[String(method)]
  const name = subject === undefined ? undefined : params?.[subject]
  const expected = { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name }
  for (const [header, value] of Object.entries(expected)) {
    if (decoded(headers[header]) !== value) return { code: -32020, message: `Header mismatch: ${header}` }
  }
  return undefined
}

function decoded(value: string | readonly string[] | undefined): unknown {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(String(value))?.[1]
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8')
}
