import { nodePorts } from '@ext/kernel/node'
import { serveHostile } from '@ext/mcp-client/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { serveOfficial } from './connect/official.js'
import { client, codes, hostile, inMemory, names, PATIENCE, settled, textOf } from './helpers.js'

/** A hostile server of revision 2026-07-28 over HTTP. */
async function served(mode: Parameters<typeof serveHostile>[0], options: Parameters<typeof serveHostile>[1] = {}) {
  const server = await serveHostile(mode, options)
  onTestFinished(() => server.close())
  return server
}

test('servers of both revisions are one list of tools, and each says what it speaks', async () => {
  const http = await served('echo@2026')
  const made = await settled({
    old: hostile('echo'),
    program: { ...hostile('echo@2026'), protocol: 2026 },
    web: { url: http.url },
  })
  expect(names(made)).toEqual(['mcp__old__echo', 'mcp__program__echo', 'mcp__web__echo'])
  for (const name of names(made)) expect(textOf(await made.call(name, { text: 'hi' }))).toBe('hi')
  expect(made.status().map(({ name, server }) => [name, server?.protocolVersion])).toEqual([
    ['old', '2025-06-18'],
    ['program', '2026-07-28'],
    ['web', '2026-07-28'],
  ])
  expect(made.diagnostics).toEqual([])
})

test('a tool that asks for headers in a wrong way is left out where there are headers, and only there', async () => {
  const http = await served('badheader@2026')
  const made = await settled({ web: { url: http.url }, program: { ...hostile('badheader@2026'), protocol: 2026 } })
  expect(names(made).filter((name) => name.startsWith('mcp__web'))).toEqual(['mcp__web__good'])
  expect(names(made).filter((name) => name.startsWith('mcp__program'))).toHaveLength(5)
  const left = made.diagnostics.map(({ code, message }) => `${code} ${message}`)
  expect(left).toHaveLength(4)
  expect(left.join('\n')).toContain('mcp.tool.quarantined The tool "number" of `web` is left out: its `x-mcp-header`')
})

test('a server of 2026 that dies is started again, and tells its changes again', async () => {
  const made = await settled({ a: { ...hostile('die@2026'), protocol: 2026 } })
  expect((await made.call('mcp__a__echo', {})).meta?.['kind']).toBe('network')
  await vi.waitUntil(() => made.status()[0]?.state === 'ready', { timeout: PATIENCE })

  const http = await served('storm@2026', { args: ['1'] })
  const web = await settled({ web: { url: http.url } })
  await vi.waitUntil(() => http.seen.includes('POST subscriptions/listen'), { timeout: PATIENCE })
  http.hangUp()
  await vi.waitUntil(() => http.seen.filter((each) => each === 'POST subscriptions/listen').length === 2, {
    timeout: PATIENCE,
  })
  await web.call('mcp__web__echo', {})
  await vi.waitUntil(() => names(web).includes('mcp__web__extra-1'), { timeout: PATIENCE })
})

test('a server that takes on to tell nothing costs no call, and is named', async () => {
  const http = await served('storm@2026', {
    before({ headers }, response) {
      if (headers['mcp-method'] !== 'subscriptions/listen') return false
      const error = { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'no more of them' } }
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(error))
      return true
    },
  })
  const made = await settled({ web: { url: http.url } })
  await vi.waitUntil(() => codes(made.diagnostics).includes('mcp.server.deaf'), { timeout: PATIENCE })
  expect(made.diagnostics[0]?.message).toContain('no more of them')
  expect((await made.call('mcp__web__echo', {})).isError).toBe(false)
})

test('what a server of 2026 asks in place of a result is answered by the person, and the call goes on', async () => {
  const http = await serveOfficial()
  onTestFinished(() => http.close())
  const seen: string[] = []
  const made = await settled(
    { web: { url: http.url } },
    {
      elicitation: {
        async form({ message, fields }) {
          seen.push(`${message} ${fields.map(({ name }) => name)}`)
          return { action: 'accept', content: {} }
        },
        async url({ message, host, required }) {
          seen.push(`${message} ${host} ${required}`)
          return { action: 'decline' }
        },
      },
    },
  )
  expect(textOf(await made.call('mcp__web__question', {}))).toBe('accept nobody, decline')
  expect(seen.sort()).toEqual(['Sign in. example.com false', 'Who? name'])

  // Without a person the server is not told that there is one, and does not ask.
  const alone = await settled({ web: { url: http.url } })
  const refused = await alone.call('mcp__web__question', {})
  expect(refused).toMatchObject({ isError: true, meta: { kind: 'remote' } })
})

test('what a server of 2026 logs while it works is heard if it was asked for', async () => {
  const http = await served('library@2026')
  const levels: unknown[] = []
  const made = await settled(
    { web: { url: http.url } },
    { logLevel: 'info', onLog: (_server, line, level) => void (level && levels.push([level, line])) },
  )
  await made.call('mcp__web__echo', { data: 'full shelf' })
  await vi.waitUntil(() => levels.length > 0, { timeout: PATIENCE })
  expect(levels).toEqual([['warning', expect.stringContaining('full shelf')]])
})

test('a list that says how long it holds is read again when somebody looks at it later, not before', async () => {
  let now = 0
  const ports = nodePorts()
  const clock = { ...ports.clock, now: () => ports.clock.now() + now }
  const http = await served('aging@2026', { args: ['60000'] })
  const made = await client({
    ports: { ...ports, clock },
    layers: [inMemory({ web: { url: http.url, keepAlive: false } })],
  })
  await made.ready({ within: PATIENCE })
  const lists = () => http.seen.filter((each) => each === 'POST tools/list').length
  const look = async () => {
    const seen = names(made)
    await new Promise((resolve) => setTimeout(resolve, 400))
    return seen
  }
  expect(await look()).toEqual(['mcp__web__v1'])
  now = 59_000
  expect(await look()).toEqual(['mcp__web__v1'])
  expect(lists()).toBe(1)
  now = 61_000
  // Whoever looks first gets the old list; it waits for nobody.
  expect(await look()).toEqual(['mcp__web__v1'])
  expect(await look()).toEqual(['mcp__web__v2'])
  expect(lists()).toBe(2)
})
