import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type LookupFunction,
  type Server as NetServer,
  Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'

/** A server of this machine that counts who connects. */
export interface Listener {
  readonly port: number
  /** Whether it listens on ::1 too. */
  readonly ipv6: boolean
  readonly connections: number
  readonly requests: readonly Received[]
}

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const greet: RequestListener = (_request, response) => {
  response.end('hello')
}

/** Listens on 127.0.0.1, and on ::1 where there is one. Ends with the test. */
export async function listener(
  answer: RequestListener = greet,
  tls?: { readonly key: string; readonly cert: string },
): Promise<Listener> {
  const requests: Received[] = []
  const record: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    })
  }
  let connections = 0
  const count = (server: Server | NetServer) => server.on('connection', () => connections++)
  const make = () => count(tls ? createTlsServer(tls, record) : createServer(record))
  const port = await listen(make(), '127.0.0.1', 0)
  const ipv6 = await listen(make(), '::1', port).then(
    () => true,
    () => false,
  )
  return {
    port,
    ipv6,
    requests,
    get connections() {
      return connections
    },
  }
}

/** A proxy that takes CONNECT alone, and whichever host it is asked for, connects to a port of this machine. */
export async function connectProxy(
  port: number,
  status = 200,
): Promise<{ readonly url: string; readonly asked: readonly { authority: string; headers: IncomingHttpHeaders }[] }> {
  const asked: { authority: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer((_request, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '', headers }, client: Duplex) => {
    asked.push({ authority: url, headers })
    client.on('error', () => {})
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(target).pipe(client)
    })
    target.on('error', () => client.destroy())
    client.on('close', () => target.destroy())
  })
  return { url: `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`, asked }
}

/** Takes connections on 127.0.0.1 and hands over the raw sockets. Ends with the test. */
export async function rawListener(onSocket: (socket: Socket) => void): Promise<number> {
  return listen(createNetServer(onSocket), '127.0.0.1', 0)
}

function listen(server: Server | NetServer, host: string, port: number): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** How many sockets this process opens to anywhere while something runs. */
export async function socketsOpened(run: () => Promise<unknown>): Promise<number> {
  let opened = 0
  const count = () => opened++
  subscribe('net.client.socket', count)
  try {
    await run()
  } finally {
    unsubscribe('net.client.socket', count)
  }
  return opened
}

/** Runs something with no socket able to connect, and says which addresses would have been tried. */
export async function heldBack<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly dialled: string[] }> {
  const dialled: string[] = []
  const original = Socket.prototype.connect
  // Called by net.connect with its arguments in one list.
  const instead = function (this: Socket, [options]: [{ readonly host: string; readonly lookup: LookupFunction }]) {
    options.lookup(options.host, { all: true }, (_error, addresses) => {
      for (const { address } of addresses as { readonly address: string }[]) dialled.push(address)
      process.nextTick(() => this.destroy(new Error('held back')))
    })
    return this
  }
  Object.assign(Socket.prototype, { connect: instead })
  try {
    return { result: await run(), dialled }
  } finally {
    Object.assign(Socket.prototype, { connect: original })
  }
}
