import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import type { HttpServerOptions } from '@ext/mcp-client/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { call, faultOf, MIB, never, remoteOf, served, sessionWith } from './ground.js'

const SOON = { timeout: 5000, interval: 5 }

const reply = (response: ServerResponse, status: number, type: string, body: string, more = {}) =>
  void response.writeHead(status, { 'content-type': type, ...more }).end(body)

/** A server whose answers to POST are these. */
const posts = (answer: (response: ServerResponse) => void): HttpServerOptions => ({
  before(request: IncomingMessage, response: ServerResponse) {
    if (request.method !== 'POST') return false
    answer(response)
    return true
  },
})

/** Something that listens on the loopback and is no MCP server. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const openingOf = async (url: string, more: Parameters<typeof remoteOf>[1] = {}) => {
  const session = sessionWith(remoteOf(url, more))
  return faultOf(session.open(never))
}

describe('a server that can not be reached says why, and what to do', () => {
  const atMost = { effect: 'none', kind: 'network' }

  test('nothing listens', async () => {
    const port = await listening(createTcpServer())
    const other = createTcpServer()
    const free = await listening(other)
    await new Promise((resolve) => other.close(resolve))
    expect(port).not.toBe(free)
    const fault = await openingOf(`http://127.0.0.1:${free}/mcp`)
    expect(fault).toMatchObject({ ...atMost, final: false })
    expect(fault.message).toBe(`could not be reached: nothing listens at 127.0.0.1:${free}`)
    expect(fault.hint).toContain('Check that the server runs')
  })

  test('no such host', async () => {
    const fault = await openingOf('http://no-such-host.invalid/mcp')
    expect(fault).toMatchObject({ ...atMost, message: 'could not be reached: there is no host no-such-host.invalid' })
  })

  test('a plain server under https, and the other way round', async () => {
    const plain = await served('echo')
    const fault = await openingOf(plain.url.replace('http:', 'https:'))
    expect(fault).toMatchObject({ ...atMost, final: true })
    expect(fault.message).toContain('does not speak TLS')

    const port = await listening(createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.7\r\n')))
    const other = await openingOf(`http://127.0.0.1:${port}/mcp`)
    expect(other).toMatchObject({ kind: 'protocol', message: `does not speak HTTP at 127.0.0.1:${port}` })
  })

  test('a connection that breaks before the answer: it may have been done', async () => {
    const port = await listening(createTcpServer((socket) => socket.on('data', () => socket.destroy())))
    expect(await openingOf(`http://127.0.0.1:${port}/mcp`)).toMatchObject({
      message: 'broke the connection',
      effect: 'unknown',
    })
  })

  test('it never answers: the caller decides how long to wait, and the connection is let go', async () => {
    let gone = false
    const server = await served(
      'echo',
      posts((response) => {
        response.on('close', () => {
          gone = true
        })
      }),
    )
    const session = sessionWith(remoteOf(server.url))
    const started = performance.now()
    await faultOf(session.open(AbortSignal.timeout(200)))
    await vi.waitUntil(() => gone, SOON)
    expect(performance.now() - started).toBeLessThan(1000)
  })

  test.each([
    ['not an address', 'has no address that can be read'],
    ['http://me:secret@127.0.0.1/mcp', 'has a name or a password in its address, which HTTP clients refuse'],
    ['http://127.0.0.1:9/mcp', 'could not be reached: port 9 is one that `fetch` refuses'],
  ])('%s', async (url, message) => {
    expect(await openingOf(url)).toMatchObject({ ...atMost, message, final: true })
  })

  test('a certificate that is not accepted', async () => {
    const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const session = sessionWith(remoteOf('https://localhost/mcp'), {
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
    })
    const fault = await faultOf(session.open(never))
    expect(fault).toMatchObject({ ...atMost, final: true })
    expect(fault.message).toContain('the certificate of localhost is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)')
  })

  test('a header that HTTP does not allow is named, without its value', async () => {
    const fault = await openingOf('http://127.0.0.1/mcp', { headers: { 'x-token': 'a\nb' } })
    expect(fault).toMatchObject({ ...atMost, final: true, hint: 'Check `headers`.' })
    expect(fault.message).toBe('can\'t be asked: the header "x-token" has characters that HTTP does not allow')
  })
})

describe('an answer that says no', () => {
  test.each([
    [401, 'text/plain', 'Log in', 'wants credentials (401): Log in', { needsAuth: true, final: true, effect: 'none' }],
    [403, 'text/plain', '', 'does not let these credentials in (403)', { needsAuth: true, final: true }],
    [429, 'text/plain', '', 'takes no more requests for now (429)', { effect: 'none', hint: 'Ask again after 7 s.' }],
    [413, 'text/plain', '', 'refused initialize (413)', { kind: 'remote', effect: 'none' }],
    [
      500,
      'application/json',
      '{"error":"out of cheese"}',
      'failed with HTTP 500: out of cheese',
      { effect: 'unknown' },
    ],
    [503, 'text/html', '<h1>Down</h1>', 'failed with HTTP 503', { kind: 'network', final: false }],
    [200, 'text/html', '<h1>Log in</h1>', 'answered initialize with a web page', { kind: 'protocol', final: true }],
    [200, 'text/plain', 'OK', 'answered initialize with text/plain', { kind: 'protocol' }],
    [200, 'application/json', '{"ok":true}', 'gave an answer to initialize that is not MCP', { kind: 'protocol' }],
    [200, 'application/json', '{"ok', 'gave an answer to initialize that is not MCP', { kind: 'protocol' }],
    [200, 'text/event-stream', 'data: 1\n\n', 'ended its answer to initialize too early', { kind: 'network' }],
  ] as const)('%i %s %s', async (status, type, body, message, more) => {
    const server = await served(
      'echo',
      posts((response) => reply(response, status, type, body, { 'retry-after': 7 })),
    )
    expect(await openingOf(server.url)).toMatchObject({ message, ...more })
  })

  test('404 and 405 are final once the older form was tried in vain', async () => {
    for (const status of [404, 405]) {
      const server = await served('echo', {
        before: (_request: IncomingMessage, response: ServerResponse) => {
          reply(response, status, 'text/plain', 'Not here')
          return true
        },
      })
      const fault = await openingOf(server.url)
      expect(fault).toMatchObject({ final: true, effect: 'none' })
      expect(fault.message).toBe(`has no MCP at ${server.url} (${status}): Not here`)
      expect(server.seen).toEqual(['POST initialize', 'GET'])
    }
  })

  test('is not waited for to its end', async () => {
    const server = await served(
      'echo',
      posts((response) => void response.writeHead(401, { 'content-type': 'text/plain' }).write('Log in fi')),
    )
    expect(await openingOf(server.url)).toMatchObject({
      message: 'wants credentials (401): Log in fi',
      needsAuth: true,
    })
  })

  test('what a server says is masked, on one line and short', async () => {
    const body = `token abc\u001b[31m is wrong\n${'x'.repeat(500)}`
    const server = await served(
      'echo',
      posts((response) => reply(response, 401, 'text/plain', body)),
    )
    const session = sessionWith(remoteOf(server.url), { mask: (text) => text.replace('abc', '***') })
    const { message } = await faultOf(session.open(never))
    expect(message).toContain('wants credentials (401): token *** is wrong xxx')
    expect(message.length).toBeLessThan(260)
  })

  test('a secret in the path of the address is masked, also where a redirect brings it back', async () => {
    const mask = (text: string) => text.replaceAll('p4th', '***')
    for (const [status, message] of [
      [404, 'has no MCP at http://127.0.0.1/s/***/mcp (404)'],
      [307, 'redirects to http://e.test/s/***/mcp, which is not followed (307)'],
    ] as const) {
      const answer = () =>
        Promise.resolve(new Response(null, { status, headers: { location: 'http://e.test/s/p4th/mcp' } }))
      const session = sessionWith(remoteOf('http://127.0.0.1/s/p4th/mcp'), { mask, fetch: answer })
      const fault = await faultOf(session.open(never))
      expect(fault.message).toBe(message)
      expect(fault.hint).not.toContain('p4th')
    }
  })

  test('requests carry the headers of the entry, on every way', async () => {
    const seen: string[] = []
    const server = await served('echo', {
      before(request: IncomingMessage) {
        seen.push(`${request.method} ${request.headers['authorization']} ${request.headers['mcp-protocol-version']}`)
        return false
      },
    })
    const session = sessionWith(remoteOf(server.url, { headers: { Authorization: 'Bearer 1' } }))
    await session.open(never)
    await vi.waitUntil(() => seen.length === 3, SOON)
    await session.close()
    expect(seen.sort()).toEqual([
      'DELETE Bearer 1 2025-06-18',
      'GET Bearer 1 2025-06-18',
      'POST Bearer 1 2025-06-18',
      'POST Bearer 1 undefined',
    ])
  })
})

describe('redirects', () => {
  const redirecting = (status: number, to: (own: string) => string): HttpServerOptions => ({
    before(request: IncomingMessage, response: ServerResponse) {
      if (!request.url?.startsWith('/mcp') || request.url.startsWith('/mcp/')) return false
      response.writeHead(status, { location: to(`http://${request.headers.host}`) }).end()
      return true
    },
  })

  test.each([301, 302, 307, 308])('%i within the origin is followed with method, body and headers', async (status) => {
    const seen: (string | undefined)[] = []
    const server = await served('echo', {
      before(request: IncomingMessage, response: ServerResponse) {
        if (request.url === '/mcp/') seen.push(request.headers.authorization)
        return redirecting(status, () => '/mcp/').before?.(request, response) ?? false
      },
    })
    const session = sessionWith(remoteOf(server.url, { headers: { authorization: 'Bearer 1' }, listen: 'off' }))
    await session.open(never)
    expect(await call(session, { text: 'hi' })).toBe('hi')
    expect(seen).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 1'])
  })

  test('to another origin is refused: no credential gets there, and the message names it', async () => {
    const thief = await served('echo')
    const server = await served(
      'echo',
      redirecting(307, () => `${thief.url}?stolen=1`),
    )
    const fault = await openingOf(server.url, { headers: { authorization: 'Bearer 1', 'x-key': 'k' } })
    expect(fault).toMatchObject({ effect: 'none', final: true, kind: 'remote' })
    expect(fault.message).toBe(`redirects to ${thief.url}, which is not followed (307)`)
    expect(fault.hint).toContain(`write that address in \`url\``)
    expect(thief.seen).toEqual([])
  })

  test.each([
    ['a loop', 307, () => '/mcp', /^redirects again and again, at last to .*\/mcp \(307\)$/],
    ['303, which turns a request into another', 303, () => '/mcp/'],
    ['one to nowhere', 307, () => 'http://['],
    ['one with a password', 307, (own: string) => own.replace('//', '//a:b@')],
  ] as const)('%s is refused', async (_what, status, to, message = /^redirects to .*, which is not followed/) => {
    const server = await served('echo', redirecting(status, to))
    const fault = await openingOf(server.url)
    expect(fault.message).toMatch(message)
    expect(fault.message).not.toContain('a:b')
    expect(server.seen.length).toBeLessThan(8)
  })
})

describe('a session that the server has forgotten', () => {
  test('its calls were not done, and it is over, for all who use it', async () => {
    const server = await served('echo')
    const session = sessionWith(remoteOf(server.url))
    await session.open(never)
    expect(await call(session, { text: 'hi' })).toBe('hi')
    server.forget()
    const faults = await Promise.all([1, 2, 3].map(() => faultOf(call(session))))
    for (const fault of faults) {
      expect(fault).toMatchObject({ kind: 'network', effect: 'none', message: 'no longer knows the session' })
    }
    await session.closed
    expect(session.seen.end).toBe('no longer knows the session')
    await session.close()
    expect(server.seen).not.toContain('DELETE')
  })

  test('is known by the 400 of servers that were made after an example, too', async () => {
    let calls = 0
    const server = await served('echo', {
      before(_request: IncomingMessage, response: ServerResponse) {
        if (++calls < 4) return false
        reply(response, 400, 'application/json', '{"error":{"message":"Bad Request: No valid session ID provided"}}')
        return true
      },
    })
    const session = sessionWith(remoteOf(server.url, { listen: 'off' }))
    await session.open(never)
    await session.ping(never)
    expect(await faultOf(call(session))).toMatchObject({ effect: 'none', message: 'no longer knows the session' })
    await session.closed
  })

  test('a server without sessions forgets none: 404 is 404', async () => {
    let gone = false
    const server = await served('echo', {
      sessions: false,
      before(_request: IncomingMessage, response: ServerResponse) {
        if (gone) reply(response, 404, 'text/plain', '')
        return gone
      },
    })
    const session = sessionWith(remoteOf(server.url, { listen: 'off' }))
    await session.open(never)
    gone = true
    expect(await faultOf(call(session))).toMatchObject({ kind: 'remote', message: `has no MCP at ${server.url} (404)` })
    gone = false
    expect(await call(session, { text: 'hi' })).toBe('hi')
  })

  test('the end is told to the server, and waited for only so long', async () => {
    const server = await served('echo')
    const session = sessionWith(remoteOf(server.url))
    await session.open(never)
    await session.close()
    expect(server.seen.at(-1)).toBe('DELETE')
    expect(server.sessions).toBe(0)

    const deaf = await served('echo', { before: (request) => request.method === 'DELETE' })
    const patient = sessionWith(remoteOf(deaf.url))
    await patient.open(never)
    const started = performance.now()
    const closing = patient.close({ waitMs: 5000, graceMs: 0 })
    void patient.close({ waitMs: 100, graceMs: 0 })
    await closing
    expect(performance.now() - started).toBeLessThan(2000)
    await patient.closed
  })
})

describe('the stream on which the server speaks first', () => {
  test.each([
    ['there is none', { listen: false }, 'refused a stream for its own messages (405)'],
    ['it fails', failing(500), 'refused a stream for its own messages (500)'],
    ['it is a page', failing(200), 'answered a request for a stream of events with a web page'],
    ['it is forbidden', failing(401), 'refused a stream for its own messages (401)'],
    ['it is not found', failing(404), 'refused a stream for its own messages (404)'],
  ] as const)('calls go on when %s, and it is known', async (_what, options, deaf) => {
    const server = await served('echo', options)
    const session = sessionWith(remoteOf(server.url))
    await session.open(never)
    await vi.waitUntil(() => session.seen.deaf !== undefined, SOON)
    expect(session.seen.deaf).toBe(deaf)
    expect(await call(session, { text: 'hi' })).toBe('hi')
    expect(session.seen.end).toBeUndefined()
  })

  test('calls go on when it is never answered', async () => {
    const server = await served('echo', { before: (request) => request.method === 'GET' })
    const session = sessionWith(remoteOf(server.url))
    await session.open(never)
    expect(await call(session, { text: 'hi' })).toBe('hi')
    expect(server.seen.filter((each) => each === 'GET')).toHaveLength(1)
  })

  test('is not asked for with `listen: off`', async () => {
    const server = await served('echo')
    const session = sessionWith(remoteOf(server.url, { listen: 'off' }))
    await session.open(never)
    await call(session)
    expect(server.seen).not.toContain('GET')
    expect(session.seen.deaf).toBeUndefined()
  })

  test('is opened again from where it broke off, when the server wants it', async () => {
    const asked: { at: number; from: string | undefined }[] = []
    const server = await served('echo', {
      before(request: IncomingMessage, response: ServerResponse) {
        if (request.method !== 'GET') return false
        const from = request.headers['last-event-id']
        asked.push({ at: performance.now(), from: typeof from === 'string' ? from : undefined })
        const changed = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
        const event = `retry: 150\nid: ${asked.length}\ndata: ${changed}\n\n`
        if (asked.length < 3) reply(response, 200, 'text/event-stream', event)
        return true
      },
    })
    let changes = 0
    const session = sessionWith(remoteOf(server.url), { onNotice: () => changes++ })
    await session.open(never)
    await vi.waitUntil(() => asked.length === 3, SOON)
    expect(asked.map(({ from }) => from)).toEqual([undefined, '1', '2'])
    expect(changes).toBe(2)
    expect((asked[2]?.at ?? 0) - (asked[1]?.at ?? 0)).toBeGreaterThan(140)
  })

  function failing(status: number): HttpServerOptions {
    return {
      before(request: IncomingMessage, response: ServerResponse) {
        if (request.method === 'GET') reply(response, status, 'text/html', '<h1>No</h1>')
        return request.method === 'GET'
      },
    }
  }
})

describe('the stream of a request', () => {
  /** Ends the stream of the call before the answer; the answer comes on the GET with the id. */
  const polling = (resumed: (response: ServerResponse, id: number) => void, event = 'id: 7\nretry: 100\ndata:\n\n') => {
    let id = 0
    return {
      before(request: IncomingMessage, response: ServerResponse) {
        if (request.method === 'GET' && request.headers['last-event-id'] === '7') {
          resumed(response, id)
          return true
        }
        if (request.method !== 'POST' || !response.req.headers['mcp-protocol-version']) return false
        id++
        // The first is the notification that the client is ready.
        if (id === 1) return false
        reply(response, 200, 'text/event-stream', event)
        return true
      },
    } satisfies HttpServerOptions
  }
  const answer = (response: ServerResponse, id: number) => {
    const result = { content: [{ type: 'text', text: 'resumed' }] }
    // Ids count from `initialize` on, which is 0.
    const message = JSON.stringify({ jsonrpc: '2.0', id: id - 1, result })
    reply(response, 200, 'text/event-stream', `data: ${message}\n\n`)
  }

  test('that ends before the answer is taken up again, and the answer comes', async () => {
    const server = await served('echo', polling(answer))
    const session = sessionWith(remoteOf(server.url, { listen: 'off' }))
    await session.open(never)
    expect(await call(session)).toBe('resumed')
    expect(session.seen.junk.lines).toBe(0)
  })

  test('is asked for again while the server is not there, and given up after some attempts', async () => {
    let attempts = 0
    const server = await served(
      'echo',
      polling((response) => {
        attempts++
        reply(response, 500, 'text/plain', 'restarting')
      }),
    )
    const session = sessionWith(remoteOf(server.url, { listen: 'off' }), {
      clock: {
        now: () => Date.now(),
        after: (_ms, fn) => {
          const timer = setTimeout(fn, 1)
          return () => clearTimeout(timer)
        },
      },
    })
    await session.open(never)
    expect(await faultOf(call(session))).toMatchObject({
      message: 'failed with HTTP 500: restarting',
      effect: 'unknown',
    })
    expect(attempts).toBe(5)
  })

  test('is not asked for again where the server says no, nor after an abort', async () => {
    const server = await served(
      'echo',
      polling((response) => reply(response, 405, 'text/plain', '')),
    )
    const session = sessionWith(remoteOf(server.url, { listen: 'off' }))
    await session.open(never)
    expect(await faultOf(call(session))).toMatchObject({ effect: 'unknown' })
    const before = server.seen.length
    await faultOf(call(session, {}, AbortSignal.timeout(50)))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(server.seen.slice(before).filter((each) => each === 'GET')).toEqual([])
  })

  test('that ends without an answer and without an id fails the call at once', async () => {
    const server = await served('echo', polling(answer, 'data:\n\n'))
    const session = sessionWith(remoteOf(server.url, { listen: 'off' }))
    await session.open(never)
    expect(await faultOf(call(session))).toMatchObject({
      kind: 'network',
      message: 'ended its answer to tools/call too early',
      effect: 'unknown',
    })
  })
})

test('an abort lets the connection of its request go', async () => {
  let broken = 0
  const server = await served('slow', {
    before(_request: IncomingMessage, response: ServerResponse) {
      response.on('close', () => {
        if (!response.writableFinished) broken++
      })
      return false
    },
  })
  const session = sessionWith(remoteOf(server.url, { listen: 'off' }))
  await session.open(never)
  const controllers = Array.from({ length: 20 }, () => new AbortController())
  const calls = controllers.map(({ signal }) => faultOf(call(session, {}, signal)))
  await vi.waitUntil(() => server.log.length === 20, SOON)
  for (const controller of controllers) controller.abort()
  await Promise.all(calls)
  await vi.waitUntil(() => broken === 20, SOON)
  expect(server.log.slice(20)).toEqual(Array(20).fill('cancelled: the client does not wait for it any more'))
})

test('a body of any length takes no more memory than the limit', async () => {
  let written = 0
  const server = await served('echo', {
    before(request: IncomingMessage, response: ServerResponse) {
      if (request.headers['mcp-protocol-version'] === undefined || request.method !== 'POST') return false
      if (!server.seen.includes('POST tools/call')) return false
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024))) written += 64 * 1024
      }
      response.on('drain', more)
      more()
      return true
    },
  })
  const session = sessionWith(remoteOf(server.url, { listen: 'off' }), { maxMessageBytes: MIB })
  await session.open(never)
  expect((await faultOf(call(session))).message).toBe('gave an answer of more than 1 MiB, which was dropped')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(written).toBeLessThan(32 * MIB)
})

describe('the older form', () => {
  test('ends with its stream: the calls that wait may have been done, and the session is over', async () => {
    const server = await served('slow', { form: 'sse' })
    const session = sessionWith(remoteOf(server.url, { form: 'sse' }))
    await session.open(never)
    const calling = faultOf(call(session))
    await vi.waitUntil(() => server.log.length === 1, SOON)
    server.hangUp()
    expect(await calling).toMatchObject({ kind: 'network', effect: 'unknown' })
    await session.closed
    expect(session.seen.end).toBe('broke the connection')
  })

  test.each([
    ['a page', (response: ServerResponse): void => reply(response, 200, 'text/html', '<h1>'), 'with a web page'],
    [
      'no endpoint',
      (response: ServerResponse): void => reply(response, 200, 'text/event-stream', ''),
      'ended the connection',
    ],
    [
      'an endpoint elsewhere',
      (response: ServerResponse): void =>
        reply(response, 200, 'text/event-stream', 'event: endpoint\ndata: http://127.0.0.2/m\n\n'),
      'wants its requests at http://127.0.0.2/m, which is another host',
    ],
  ] as const)('does not open for %s', async (_what, answer, message) => {
    const port = await listening(createServer((_request, response) => answer(response)))
    const fault = await openingOf(`http://127.0.0.1:${port}/sse`, { form: 'sse' })
    expect(fault.message).toContain(message)
  })
})
