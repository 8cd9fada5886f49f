import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Behaviour, handle, type Incoming, type Mouth } from './behaviour.js'
import { type HostileMode, isStateless, modeOf } from './modes.js'
import { headerFault } from './revision.js'

export interface HttpServerOptions {
  readonly args?: readonly string[]
  /** `sse`: the form before Streamable HTTP. Default `http`. */
  readonly form?: 'http' | 'sse'
  /** How requests are answered: as a stream of events, or as one JSON document. Default `stream`. */
  readonly answer?: 'stream' | 'json'
  /** Whether there is a stream on which the server speaks first. Default true. */
  readonly listen?: boolean
  /** Whether there are sessions. Default true. */
  readonly sessions?: boolean
  /** Sees every request before the server does. @returns true if it has answered it */
  before?(request: HttpRequest, response: HttpResponse): boolean
}

/** What there is to know of a request: an `IncomingMessage` of `node:http`. */
export interface HttpRequest {
  readonly method?: string | undefined
  /** Path and query. */
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

/** What it takes to answer one: a `ServerResponse` of `node:http`, which it may be declared as. */
export interface HttpResponse {
  writeHead(status: number, headers?: { readonly [name: string]: string | number }): this
  write(text: string): boolean
  end(text?: string): this
}

/** A hostile server on a free port of this machine, in this process. */
export interface HttpServer {
  readonly url: string
  /** `POST initialize`, `GET`, `DELETE` and so on, in the order in which they came. */
  readonly seen: readonly string[]
  /** What it has said on what would be its stderr. */
  readonly log: readonly string[]
  /** Connections that are open. */
  readonly connections: number
  /** Sessions that it knows. */
  readonly sessions: number
  /** Forgets all sessions, as a server does that is started anew. */
  forget(): void
  /** Breaks all connections. */
  hangUp(): void
  close(): Promise<void>
}

interface HostileSession {
  readonly behaviour: Behaviour
  /** On which the server speaks first. */
  stream: ServerResponse | undefined
}

/**
 * Serves a hostile server over HTTP on the loopback.
 * @throws Error for a mode that does not exist
 */
export async function serveHostile(mode: HostileMode, options: HttpServerOptions = {}): Promise<HttpServer> {
  const served = new Served(mode, options)
  await served.listen()
  return served
}

class Served implements HttpServer {
  readonly seen: string[] = []
  readonly log: string[] = []
  readonly #mode: HostileMode
  readonly #options: HttpServerOptions
  readonly #server: Server
  readonly #sessions = new Map<string, HostileSession>()
  #connections = 0

  constructor(mode: HostileMode, options: HttpServerOptions) {
    modeOf(mode)
    this.#mode = mode
    this.#options = options
    this.#server = createServer((request, response) => void this.#serve(request, response))
    this.#server.on('connection', (socket) => {
      this.#connections++
      socket.on('close', () => this.#connections--)
    })
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/${this.#options.form === 'sse' ? 'sse' : 'mcp'}`
  }

  get connections(): number {
    return this.#connections
  }

  get sessions(): number {
    return this.#sessions.size
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
  }

  forget(): void {
    this.#sessions.clear()
  }

  hangUp(): void {
    this.#server.closeAllConnections()
  }

  close(): Promise<void> {
    this.hangUp()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request
    const body = method === 'POST' ? await read(request) : ''
    const incoming = method === 'POST' ? (JSON.parse(body) as Incoming) : {}
    this.seen.push([method, incoming.method].filter(Boolean).join(' '))
    if (this.#options.before?.(request, response)) return
    if (this.#options.form === 'sse') return this.#older(request, response, incoming)
    if (isStateless(this.#mode)) return this.#alone(request, response, incoming)
    if (method === 'GET') return this.#listen(request, response)
    if (method === 'DELETE') return this.#end(request, response)
    const session = await this.#sessionOf(request, response, incoming)
    if (!session) return void answer(response, 404, 'Session not found')
    if (incoming.id === undefined || incoming.method === undefined) {
      response.writeHead(202).end()
      handle(
        this.#mode,
        session.behaviour,
        incoming,
        this.#mouth((text) => this.#speak(session, text)),
      )
      return
    }
    const mouth =
      this.#options.answer === 'json' ? this.#document(session, incoming, response) : this.#stream(incoming, response)
    handle(this.#mode, session.behaviour, incoming, mouth)
  }

  /** Each request stands for itself, as from revision 2026-07-28 on. */
  async #alone(request: IncomingMessage, response: ServerResponse, incoming: Incoming): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const fault = headerFault(request.headers, incoming)
    if (fault) return void answer(response, 400, fault.message, fault.code, incoming.id)
    const session = this.#sessions.get('only') ?? (await this.#begin('only'))
    const mouth =
      this.#options.answer === 'json' && incoming.method !== 'subscriptions/listen'
        ? this.#document(session, incoming, response)
        : this.#stream(incoming, response)
    response.on('close', () => {
      if (response.writableFinished) return
      const params = { requestId: incoming.id, reason: 'its connection was closed' }
      handle(this.#mode, session.behaviour, { method: 'notifications/cancelled', params }, mouth)
    })
    handle(this.#mode, session.behaviour, incoming, mouth)
  }

  async #sessionOf(
    request: IncomingMessage,
    response: ServerResponse,
    incoming: Incoming,
  ): Promise<HostileSession | undefined> {
    const { sessions = true } = this.#options
    const id = sessions ? String(request.headers['mcp-session-id']) : 'only'
    if (incoming.method !== 'initialize') return this.#sessions.get(id)
    const created = sessions ? randomUUID() : 'only'
    if (sessions) response.setHeader('mcp-session-id', created)
    return this.#begin(created)
  }

  async #begin(id: string): Promise<HostileSession> {
    const behaviour = modeOf(this.#mode)(...(this.#options.args ?? []))
    const session: HostileSession = { behaviour, stream: undefined }
    this.#sessions.set(id, session)
    await behaviour.start?.(this.#mouth((text) => this.#speak(session, text)))
    return session
  }

  #listen(request: IncomingMessage, response: ServerResponse): void {
    const session = this.#sessions.get(String(request.headers['mcp-session-id'] ?? 'only'))
    if (this.#options.listen === false) answer(response, 405, 'No stream here')
    else if (!session) answer(response, 404, 'Session not found')
    else {
      session.stream = response
      openStream(response)
    }
  }

  #end(request: IncomingMessage, response: ServerResponse): void {
    const known = this.#sessions.delete(String(request.headers['mcp-session-id']))
    response.writeHead(known ? 204 : 404).end()
  }

  /** The form before Streamable HTTP: one stream for all answers, which names the address for requests. */
  async #older(request: IncomingMessage, response: ServerResponse, incoming: Incoming): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/sse' && request.method === 'GET') {
      const id = randomUUID()
      const session = await this.#begin(id)
      session.stream = response
      openStream(response)
      response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`)
      response.on('close', () => this.#sessions.delete(id))
      return
    }
    if (pathname !== '/messages') return answer(response, 405, 'POST goes to /messages')
    const session = this.#sessions.get(searchParams.get('session') ?? '')
    if (!session) return answer(response, 404, 'Session not found')
    response.writeHead(202).end('Accepted')
    handle(
      this.#mode,
      session.behaviour,
      incoming,
      this.#mouth((text) => this.#speak(session, text)),
    )
  }

  #speak({ stream }: HostileSession, text: string): void {
    stream?.write(text)
  }

  #stream({ id }: Incoming, response: ServerResponse): Mouth {
    openStream(response)
    const mouth = this.#mouth((text) => void response.write(text))
    return {
      ...mouth,
      send(message) {
        mouth.send(message)
        if (isAnswer(message, id)) response.end()
      },
      drip: (text) => drip(response, text),
      raw(text) {
        mouth.raw(text)
        // A malformed answer is one, too.
        if (text.includes(`"id":${JSON.stringify(id)}`)) response.end()
      },
    }
  }

  /** One JSON document. What else is said takes the other stream, if there is one. */
  #document(session: HostileSession, { id }: Incoming, response: ServerResponse): Mouth {
    const aside = this.#mouth((text) => this.#speak(session, text))
    const finish = (text: string) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    }
    return {
      ...aside,
      send(message) {
        if (isAnswer(message, id)) finish(JSON.stringify({ jsonrpc: '2.0', ...message }))
        else aside.send(message)
      },
      raw(text) {
        if (text.includes(`"id":${JSON.stringify(id)}`)) finish(text)
        else aside.raw(text)
      },
      drip(text) {
        response.writeHead(200, { 'content-type': 'application/json' })
        writeBytes(response, text, () => response.end())
      },
    }
  }

  #mouth(write: (text: string) => void): Mouth {
    const mouth: Mouth = {
      send: (message) => mouth.raw(JSON.stringify({ jsonrpc: '2.0', ...message })),
      raw: (text) => write(`event: message\ndata: ${text}\n\n`),
      drip: (text) => mouth.raw(text),
      log: (line) => void this.log.push(line),
      exit: () => {
        this.forget()
        this.hangUp()
      },
    }
    return mouth
  }
}

function isAnswer(message: object, id: Incoming['id']): boolean {
  return !('method' in message) && 'id' in message && message.id === id
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
}

function drip(response: ServerResponse, text: string): void {
  writeBytes(response, `data: ${text}\n\n`, () => response.end())
}

function writeBytes(response: ServerResponse, text: string, done: () => void): void {
  const bytes = Buffer.from(text)
  let at = 0
  const next = () => {
    if (at < bytes.length) response.write(bytes.subarray(at, ++at), () => setImmediate(next))
    else done()
  }
  next()
}

function answer(
  response: ServerResponse,
  status: number,
  message: string,
  code = -32000,
  id: Incoming['id'] | null = null,
): void {
  const error = { jsonrpc: '2.0', error: { code, message }, id }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error))
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
