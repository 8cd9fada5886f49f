import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ExtError } from '../../../src/index.js'
import { type FetchOptions, nodeFetch, nodePorts } from '../../../src/node/index.js'
import type { FetchRequest } from '../../../src/types.js'
import { heldBack, listener, rawListener, socketsOpened } from './support.js'

const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')
const toLoopback = async () => ['127.0.0.1']
const failing = (code: string) => async () => {
  throw Object.assign(new Error(`lookup ${code}`), { code })
}

describe('a request', () => {
  it('to an allowed host and port gets its answer, over one connection', async () => {
    const server = await listener((_request, response) => {
      response.writeHead(201, { 'X-Reply': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('\uFEFFKäse')
    })
    const fetch = nodeFetch({ allow: [`127.0.0.1:${server.port}`] })
    const url = `http://127.0.0.1:${server.port}/a%20b?c=d#e`
    let result: Awaited<ReturnType<typeof fetch>> | undefined
    const opened = await socketsOpened(async () => {
      result = await fetch({ url, method: 'post', headers: { 'X-Ask': 'please' }, body: 'cheese' })
    })
    if (result?.outcome !== 'answered') throw new Error(result?.message)
    expect(result).toMatchObject({ url, status: 201, headers: { 'x-reply': 'yes', 'set-cookie': 'a=1, b=2' } })
    expect(result.body).toEqual(new TextEncoder().encode('\uFEFFKäse'))
    expect(result.text()).toBe('Käse')
    expect(server.requests).toMatchObject([
      { method: 'POST', url: '/a%20b?c=d', headers: { 'x-ask': 'please' }, body: 'cheese' },
    ])
    expect({ opened, connections: server.connections }).toEqual({ opened: 1, connections: 1 })
  })

  it('is one connection each: none is kept for the next', async () => {
    const server = await listener()
    const fetch = nodeFetch({ allow: [`127.0.0.1:${server.port}`] })
    for (let at = 0; at < 3; at++) await fetch({ url: `http://127.0.0.1:${server.port}` })
    expect(server.connections).toBe(3)
    expect(server.requests[0]?.headers.connection).toBe('close')
  })

  it('sends bytes, and asks for the head alone', async () => {
    const server = await listener((_request, response) => response.writeHead(200, { 'content-length': 9e9 }).end())
    const fetch = nodeFetch({ allow: [`127.0.0.1:${server.port}`] })
    const url = `http://127.0.0.1:${server.port}`
    const answer = await fetch({ url, method: 'HEAD' })
    expect(answer).toMatchObject({ outcome: 'answered', status: 200, body: new Uint8Array() })
    await fetch({ url, method: 'PUT', body: new Uint8Array([104, 105]), maxBytes: 1e10, timeoutMs: 200 })
    expect(server.requests[1]?.body).toBe('hi')
  })

  it('is a port of the machine, with the proxy of its environment', async () => {
    const { fetch } = nodePorts({ http_proxy: 'socks5://127.0.0.1:9' })
    expect(await fetch({ url: 'http://8.8.8.8' })).toMatchObject({ outcome: 'refused', reason: 'proxy' })
  })

  it('leaves the global fetch of the host as it is', async () => {
    const server = await listener()
    const globalDispatcher = () => Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
    const before = globalDispatcher()
    await nodeFetch({ allow: [`127.0.0.1:${server.port}`] })({ url: `http://127.0.0.1:${server.port}` })
    expect(globalDispatcher()).toBe(before)
  })
})

describe('what a request may not hold', () => {
  it.each<[string, FetchRequest, string]>([
    ['no URL', { url: 'nonsense' }, 'url'],
    ['a path alone', { url: '/path' }, 'url'],
    ['a port beyond 65535', { url: 'http://public.test:65536' }, 'url'],
    ['a file', { url: 'file:///etc/passwd' }, 'scheme'],
    ['data', { url: 'data:text/plain,hi' }, 'scheme'],
    ['ftp', { url: 'ftp://127.0.0.1' }, 'scheme'],
    ['a web socket', { url: 'ws://127.0.0.1' }, 'scheme'],
    ['a user', { url: 'http://user@public.test' }, 'user-info'],
    ['a password', { url: 'http://:secret@public.test' }, 'user-info'],
    ['a host as user', { url: 'http://public.test@127.0.0.1' }, 'user-info'],
    ['the port of SSH', { url: 'http://8.8.8.8:22' }, 'port'],
    ['the port of SMTP', { url: 'https://8.8.8.8:25' }, 'port'],
    ['the port of Redis', { url: 'http://8.8.8.8:6379' }, 'port'],
    ['port 0', { url: 'http://8.8.8.8:0' }, 'port'],
    ['CONNECT', { url: 'http://8.8.8.8', method: 'connect' }, 'method'],
    ['TRACE', { url: 'http://8.8.8.8', method: 'TRACE' }, 'method'],
    ['no method', { url: 'http://8.8.8.8', method: '' }, 'method'],
    ['a second request as method', { url: 'http://8.8.8.8', method: 'GET / HTTP/1.1\r\nx: y\r\n\r\nGET' }, 'method'],
    ['CR LF in a value', { url: 'http://8.8.8.8', headers: { x: 'a\r\nEvil: 1' } }, 'header'],
    ['LF in a value', { url: 'http://8.8.8.8', headers: { x: 'a\nEvil: 1' } }, 'header'],
    ['CR in a value', { url: 'http://8.8.8.8', headers: { x: 'a\rb' } }, 'header'],
    ['NUL in a value', { url: 'http://8.8.8.8', headers: { x: 'a\0b' } }, 'header'],
    ['a letter that becomes LF as a byte', { url: 'http://8.8.8.8', headers: { x: 'a\u010Ab' } }, 'header'],
    ['CR LF in a name', { url: 'http://8.8.8.8', headers: { 'x: y\r\nEvil': '1' } }, 'header'],
    ['a colon in a name', { url: 'http://8.8.8.8', headers: { 'x:': '1' } }, 'header'],
    ['no name', { url: 'http://8.8.8.8', headers: { '': '1' } }, 'header'],
    ['another host', { url: 'http://8.8.8.8', headers: { Host: 'localhost' } }, 'header'],
    ['another length', { url: 'http://8.8.8.8', headers: { 'Content-Length': '3' } }, 'header'],
    ['another framing', { url: 'http://8.8.8.8', headers: { 'transfer-encoding': 'chunked' } }, 'header'],
    ['an upgrade', { url: 'http://8.8.8.8', headers: { Upgrade: 'h2c' } }, 'header'],
    ['a header twice', { url: 'http://8.8.8.8', headers: { A: '1', a: '2' } }, 'header'],
  ])('%s is refused before anything is sent', async (_what, request, reason) => {
    let asked = 0
    const fetch = nodeFetch({
      resolve: async () => {
        asked++
        return ['127.0.0.1']
      },
    })
    const opened = await socketsOpened(async () => {
      expect(await fetch(request)).toMatchObject({ outcome: 'refused', reason })
    })
    expect({ opened, asked }).toEqual({ opened: 0, asked: 0 })
  })

  it('shows no secret in its message', async () => {
    const results = await Promise.all([
      nodeFetch()({ url: 'http://user:pa55@public.test/?token=pa55' }),
      nodeFetch()({ url: 'http://8.8.8.8', headers: { authorization: 'Bearer pa55\n' } }),
      nodeFetch()({ url: 'http://127.0.0.1/pa55?token=pa55' }),
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused'])
    expect(JSON.stringify(results)).not.toContain('pa55')
  })
})

describe('the addresses of a name', () => {
  const ask = async (resolve: FetchOptions['resolve'], host = 'name.test') => {
    const server = await listener()
    const fetch = nodeFetch(resolve ? { resolve } : {})
    const result = await fetch({ url: `http://${host}:${server.port}`, timeoutMs: 2000 })
    return { result, connections: server.connections }
  }

  it.each([
    ['a private one', ['127.0.0.1']],
    ['a private one of IPv6', ['::1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['a private one behind a public one', ['8.8.8.8', '127.0.0.1']],
    ['a private one before a public one', ['127.0.0.1', '8.8.8.8']],
    ['one with a zone', ['fe80::1%lo']],
    ['one that only looks public', ['::8.8.8.8']],
  ])('are refused as a whole with %s among them', async (_what, addresses) => {
    const opened = await socketsOpened(async () => {
      const { result, connections } = await ask(async () => addresses)
      expect(result).toMatchObject({ outcome: 'refused', reason: 'address' })
      expect(connections).toBe(0)
    })
    expect(opened).toBe(0)
  })

  it.each([['not-an-address'], ['0x7f.1'], ['127.1'], ['']])(
    'are refused when the resolver says %j',
    async (answer) => {
      expect((await ask(async () => [answer])).result).toMatchObject({ outcome: 'refused', reason: 'resolver' })
    },
  )

  it('are looked up once for check and connection, so that a second answer never counts', async () => {
    const answers = [['8.8.8.8', '2606:4700::1111'], ['127.0.0.1']]
    let lookUps = 0
    const fetch = nodeFetch({ resolve: async () => answers[lookUps++] ?? ['127.0.0.1'] })
    const { result, dialled } = await heldBack(() => fetch({ url: 'http://name.test' }))
    expect(dialled).toEqual(['8.8.8.8', '2606:4700::1111'])
    expect(lookUps).toBe(1)
    expect(result).toMatchObject({ outcome: 'failed', reason: 'connection' })
    // The next request looks up again, and checks again.
    expect(await fetch({ url: 'http://name.test' })).toMatchObject({ outcome: 'refused', reason: 'address' })
  })

  it('that were checked are the ones that are dialled: each connection has one look-up', async () => {
    const server = await listener()
    let lookUps = 0
    const fetch = nodeFetch({
      allow: [`name.test:${server.port}`],
      resolve: async () => {
        lookUps++
        return lookUps === 1 ? ['127.0.0.1'] : ['203.0.113.1']
      },
    })
    expect(await fetch({ url: `http://name.test:${server.port}` })).toMatchObject({ outcome: 'answered' })
    expect({ lookUps, connections: server.connections }).toEqual({ lookUps: 1, connections: 1 })
  })

  it('are tried in turn', async () => {
    const server = await listener()
    const fetch = nodeFetch({
      allow: [`name.test:${server.port}`],
      resolve: async () => ['127.0.0.9', '127.0.0.1'],
    })
    expect(await fetch({ url: `http://name.test:${server.port}` })).toMatchObject({ outcome: 'answered' })
  })

  it.each([['ENOTFOUND'], ['ENODATA']])('that do not exist (%s) are an ordinary failure', async (code) => {
    expect((await ask(failing(code))).result).toMatchObject({ outcome: 'failed', reason: 'no-such-host' })
  })

  it('are an ordinary failure when the answer is empty', async () => {
    expect((await ask(async () => [])).result).toMatchObject({ outcome: 'failed', reason: 'no-such-host' })
  })

  it.each([['EAI_AGAIN'], ['ESERVFAIL'], ['ETIMEOUT'], ['EREFUSED'], ['']])(
    'that can not be known (%s) refuse the request',
    async (code) => {
      expect((await ask(failing(code))).result).toMatchObject({ outcome: 'refused', reason: 'resolver' })
    },
  )

  it('come from the machine unless told otherwise', async () => {
    expect((await ask(undefined, 'localhost')).result).toMatchObject({ outcome: 'refused', reason: 'address' })
  })
})

describe('a host of this machine', () => {
  it.each([['localhost'], ['127.0.0.1'], ['LocalHost']])('%s answers an approved entry', async (host) => {
    const server = await listener()
    const fetch = nodeFetch({ resolve: toLoopback, env: { http_proxy: 'http://127.0.0.1:9' } })
    const url = `http://${host}:${server.port}/`
    expect(await fetch({ url, allowLoopback: true })).toMatchObject({ outcome: 'answered', status: 200 })
    expect(await fetch({ url })).toMatchObject({ outcome: 'refused', reason: 'address' })
  })

  it('answers an approved entry on IPv6', async ({ skip }) => {
    const server = await listener()
    if (!server.ipv6) return skip('This machine has no ::1.')
    const url = `http://[::1]:${server.port}/`
    expect(await nodeFetch()({ url, allowLoopback: true })).toMatchObject({ outcome: 'answered', status: 200 })
    expect(await nodeFetch({ allow: [`[0::1]:${server.port}`] })({ url })).toMatchObject({ outcome: 'answered' })
    expect(await nodeFetch()({ url })).toMatchObject({ outcome: 'refused', reason: 'address' })
  })

  it.each([
    ['127.0.0.2'],
    ['127.1'],
    ['0x7f000001'],
    ['[::ffff:127.0.0.1]'],
    ['localhost.'],
    ['a.localhost'],
    ['0.0.0.0'],
  ])('is not meant when the host is %s', async (host) => {
    const server = await listener()
    const fetch = nodeFetch({ resolve: toLoopback })
    const result = await fetch({ url: `http://${host}:${server.port}/`, allowLoopback: true })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'address' })
    expect(server.connections).toBe(0)
  })

  it('is the machine itself: a localhost that lies in a private network is refused', async () => {
    const fetch = nodeFetch({ resolve: async () => ['10.0.0.1'] })
    expect(await fetch({ url: 'http://localhost:8080', allowLoopback: true })).toMatchObject({ reason: 'address' })
  })

  it('keeps the ports of other protocols closed', async () => {
    expect(await nodeFetch()({ url: 'http://localhost:6379', allowLoopback: true })).toMatchObject({ reason: 'port' })
  })
})

describe('an allowed host and port', () => {
  it.each([['127.0.0.1'], ['127.1'], ['0x7f.1'], ['LOCALHOST'], ['localhost']])(
    'may be written as %s',
    async (host) => {
      const server = await listener()
      const fetch = nodeFetch({ allow: [`${host}:${server.port}`], resolve: toLoopback })
      expect(await fetch({ url: `http://${host.toLowerCase()}:${server.port}` })).toMatchObject({ outcome: 'answered' })
    },
  )

  it('opens no other port, no other host and no other name', async () => {
    const server = await listener()
    const fetch = nodeFetch({ allow: ['127.0.0.1:80', `127.0.0.2:${server.port}`], resolve: toLoopback })
    expect(await fetch({ url: `http://127.0.0.1:${server.port}` })).toMatchObject({ reason: 'address' })
    expect(await fetch({ url: `http://name.test:${server.port}` })).toMatchObject({ reason: 'address' })
    expect(server.connections).toBe(0)
  })

  it('has the port of the scheme when the URL has none, and may be one of another protocol', async () => {
    const allowed = nodeFetch({ allow: ['127.0.0.1:80', '127.0.0.1:22'] })
    for (const url of ['http://127.0.0.1', 'http://127.0.0.1:22']) {
      expect((await allowed({ url, timeoutMs: 500 })).outcome).not.toBe('refused')
    }
    expect(await allowed({ url: 'https://127.0.0.1' })).toMatchObject({ outcome: 'refused', reason: 'address' })
  })

  it.each([
    ['127.0.0.1'],
    ['127.0.0.1:'],
    ['http://a:80'],
    ['a:b'],
    ['a:70000'],
    [':80'],
    ['::1:80'],
    ['a b:80'],
    ['256.0.0.1:80'],
  ])('is not %j, which is an error of the program', (entry) => {
    let thrown: unknown
    try {
      nodeFetch({ allow: [entry] })
    } catch (error) {
      thrown = error
    }
    expect(ExtError.isInstance(thrown) && thrown.code).toBe('kernel.fetch.allow')
  })
})

describe('the caps', () => {
  const local = async (...args: Parameters<typeof listener>) => {
    const server = await listener(...args)
    const fetch = nodeFetch({ allow: [`127.0.0.1:${server.port}`] })
    return {
      server,
      ask: (request: Partial<FetchRequest>) => fetch({ url: `http://127.0.0.1:${server.port}`, ...request }),
    }
  }

  it('let a body pass that has exactly as many bytes', async () => {
    const { ask } = await local((_request, response) => response.end('x'.repeat(1000)))
    expect(await ask({ maxBytes: 1000 })).toMatchObject({ outcome: 'answered' })
    expect(await ask({ maxBytes: 999 })).toMatchObject({ outcome: 'too-large' })
  })

  it('end a body that says nothing of its length, while it comes', async () => {
    let sent = 0
    const { ask } = await local((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    })
    expect(await ask({ timeoutMs: 10_000 })).toMatchObject({ outcome: 'too-large' })
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  it.each<[string, (socket: Socket) => void]>([
    ['never answers', () => {}],
    ['never ends its head', (socket) => void socket.write('HTTP/1.1 200 OK\r\nx: y\r\n')],
    ['never ends its body', (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc')],
    [
      'trickles',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    [
      'says over and over that it goes on',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20)
        socket.on('close', () => clearInterval(timer))
      },
    ],
  ])('end a request to a server that %s, and its connection', async (_what, behave) => {
    let closed: Promise<unknown> | undefined
    const port = await rawListener((socket) => {
      closed = once(socket, 'close')
      socket.resume()
      behave(socket)
    })
    const began = performance.now()
    const result = await nodeFetch({ allow: [`127.0.0.1:${port}`] })({
      url: `http://127.0.0.1:${port}`,
      timeoutMs: 200,
    })
    expect(result).toMatchObject({ outcome: 'timed-out' })
    expect(performance.now() - began).toBeLessThan(2000)
    await closed
  })

  it('end a request to a server that never finishes its TLS handshake', async () => {
    let closed: Promise<unknown> | undefined
    const port = await rawListener((socket) => {
      closed = once(socket.resume(), 'close')
    })
    const fetch = nodeFetch({ allow: [`127.0.0.1:${port}`] })
    expect(await fetch({ url: `https://127.0.0.1:${port}`, timeoutMs: 200 })).toMatchObject({ outcome: 'timed-out' })
    await closed
  })

  it('end a request whose name is never resolved, which then connects to nothing', async () => {
    const server = await listener()
    let answer = (_addresses: string[]) => {}
    const resolve = () => new Promise<string[]>((settled) => (answer = settled))
    const fetch = nodeFetch({ allow: [`name.test:${server.port}`], resolve })
    const opened = await socketsOpened(async () => {
      const result = await fetch({ url: `http://name.test:${server.port}`, timeoutMs: 100 })
      expect(result).toMatchObject({ outcome: 'timed-out' })
      answer(['127.0.0.1'])
      await new Promise((resume) => setTimeout(resume, 50))
    })
    expect(opened).toBe(0)
  })

  it('are one for all redirects', async () => {
    const { ask } = await local((request, response) => {
      setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 60)
    })
    expect(await ask({ timeoutMs: 300, maxRedirects: 1000 })).toMatchObject({ outcome: 'timed-out' })
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('hold for %s: none is asked for, none is unpacked', async (encoding, compress) => {
    const { ask, server } = await local((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('x'.repeat(1_000_000)))
    })
    expect(await ask({})).toMatchObject({ outcome: 'failed', reason: 'encoding' })
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity')
    const wanted = await ask({ headers: { 'Accept-Encoding': encoding }, maxBytes: 100_000 })
    if (wanted.outcome !== 'answered') throw new Error(wanted.message)
    expect(wanted.headers['content-encoding']).toBe(encoding)
    expect(Buffer.from(wanted.body).equals(compress('x'.repeat(1_000_000)))).toBe(true)
  })
})

describe('an abort', () => {
  it('before the request sends nothing', async () => {
    const opened = await socketsOpened(async () => {
      const result = await nodeFetch()({ url: 'http://8.8.8.8' }, { signal: AbortSignal.abort() })
      expect(result).toMatchObject({ outcome: 'aborted' })
    })
    expect(opened).toBe(0)
  })

  it('while the client loads ends a request that would wait for its resolver', async () => {
    const aborting = new AbortController()
    const fetching = nodeFetch({ resolve: () => new Promise(() => {}) })({ url: 'http://a.test' }, aborting)
    aborting.abort()
    expect(await fetching).toMatchObject({ outcome: 'aborted' })
  })

  it('during the request ends it and its connection', async () => {
    const aborting = new AbortController()
    let closed: Promise<unknown> | undefined
    const port = await rawListener((socket) => {
      closed = once(socket, 'close')
      socket.once('data', () => aborting.abort())
    })
    const fetch = nodeFetch({ allow: [`127.0.0.1:${port}`] })
    const result = await fetch({ url: `http://127.0.0.1:${port}` }, { signal: aborting.signal })
    expect(result).toMatchObject({ outcome: 'aborted' })
    await closed
  })
})

describe('a server that fails', () => {
  const raw = async (reply: string) => {
    const port = await rawListener((socket) => socket.once('data', () => socket.end(reply)))
    return nodeFetch({ allow: [`127.0.0.1:${port}`] })({ url: `http://127.0.0.1:${port}`, timeoutMs: 5000 })
  }

  it('to listen is a failed connection', async () => {
    const { port } = await listener()
    const closed = port === 1024 ? 1025 : 1024
    const fetch = nodeFetch({ allow: [`127.0.0.1:${closed}`] })
    const result = await fetch({ url: `http://127.0.0.1:${closed}` })
    expect(result).toMatchObject({ outcome: 'failed', reason: 'connection' })
  })

  it.each([
    ['nothing', '', 'connection'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', 'connection'],
    [
      'that it speaks another protocol now',
      'HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'connection',
    ],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n', 'protocol'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'protocol'],
    ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'protocol'],
  ])('by saying %s is a failure, never an answer', async (_what, reply, reason) => {
    expect(await raw(reply)).toMatchObject({ outcome: 'failed', reason })
  })

  it('with status 500 has answered', async () => {
    expect(await raw('HTTP/1.1 500 Oh\r\ncontent-length: 2\r\n\r\nno')).toMatchObject({
      outcome: 'answered',
      status: 500,
    })
  })
})

describe('TLS', () => {
  const secure = () => listener(undefined, { key: pem('server.key'), cert: pem('server.pem') })

  it('needs a certificate that is known, for the name that was asked for', async () => {
    const server = await secure()
    const allow = [`secure.test:${server.port}`, `other.test:${server.port}`]
    const trusting = nodeFetch({ allow, resolve: toLoopback, ca: pem('ca.pem') })
    const url = `https://secure.test:${server.port}`
    expect(await trusting({ url })).toMatchObject({ outcome: 'answered', status: 200 })
    expect(await nodeFetch({ allow, resolve: toLoopback })({ url })).toMatchObject({ outcome: 'failed', reason: 'tls' })
    expect(await trusting({ url: `https://other.test:${server.port}` })).toMatchObject({ reason: 'tls' })
    expect(server.requests).toHaveLength(1)
  })

  it('is not to be had from a server without it', async () => {
    const server = await listener()
    const fetch = nodeFetch({ allow: [`127.0.0.1:${server.port}`] })
    expect(await fetch({ url: `https://127.0.0.1:${server.port}` })).toMatchObject({ outcome: 'failed', reason: 'tls' })
  })

  it('checks certificates whatever the environment of the process says', async () => {
    const server = await secure()
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      const fetch = nodeFetch({ allow: [`secure.test:${server.port}`], resolve: toLoopback })
      expect(await fetch({ url: `https://secure.test:${server.port}` })).toMatchObject({ reason: 'tls' })
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
    }
  })
})
