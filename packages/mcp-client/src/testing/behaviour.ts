/** A request or a notification, as it came. */
export interface Incoming {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly [key: string]: unknown }
}

/** How a server speaks, over whatever it is reached. */
export interface Mouth {
  /** A message of JSON-RPC; `jsonrpc` is put in. */
  send(message: object): void
  /** A message as it is written, which need not be one. */
  raw(text: string): void
  /** A message byte by byte. */
  drip(text: string): void
  /** A line on stderr. */
  log(line: string): void
  /** Ends the server: the process, or over HTTP all its connections and sessions. */
  exit(code: number): void
}

export type Handler = (incoming: Incoming, mouth: Mouth) => void

/** What a server does. What is not said, it does as MCP asks for: it has one tool, `echo`. */
export interface Behaviour {
  /** Before anything is read. A promise is waited for. */
  start?(mouth: Mouth): void | Promise<void>
  readonly capabilities?: object
  readonly on?: Readonly<Record<string, Handler>>
}

/** Makes the behaviour of one server or session. */
export type Mode = (...args: readonly string[]) => Behaviour

const PROTOCOL = '2025-06-18'

/** Lets a server act on what came. */
export function handle(mode: string, behaviour: Behaviour, incoming: Incoming, mouth: Mouth): void {
  const { id, method = '' } = incoming
  const own = behaviour.on?.[method] ?? (Object.hasOwn(USUAL, method) ? USUAL[method] : undefined)
  if (own) own(incoming, mouth)
  else if (method === 'initialize') greet(mode, behaviour.capabilities ?? { tools: {} })(incoming, mouth)
  else if (id !== undefined) mouth.send({ id, error: { code: -32601, message: 'no such method' } })
}

export const USUAL: Readonly<Record<string, Handler>> = {
  'notifications/cancelled': ({ params }, mouth) => mouth.log(`cancelled: ${params?.['reason']}`),
  'tools/list': ({ id }, mouth) => mouth.send({ id, result: { tools: [tool('echo')] } }),
  'tools/call': (incoming, mouth) =>
    mouth.send({ id: incoming.id, result: text(inputOf(incoming)['text'] ?? process.pid) }),
  ping: ({ id }, mouth) => mouth.send({ id, result: {} }),
}

export function greet(name: string, capabilities: object, protocolVersion: string = PROTOCOL): Handler {
  return ({ id }, mouth) =>
    mouth.send({ id, result: { protocolVersion, capabilities, serverInfo: { name, version: '1' } } })
}

export function text(value: unknown): { readonly content: readonly object[] } {
  return { content: [{ type: 'text', text: String(value) }] }
}

export function tool(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more }
}

/** The arguments of a call. */
export function inputOf({ params }: Incoming): { readonly [key: string]: unknown } {
  return (params?.['arguments'] ?? {}) as { readonly [key: string]: unknown }
}

/** Keeps a process alive, whatever happens to its pipes. */
export function stayForEver(): void {
  setInterval(() => {}, 2 ** 30)
}
