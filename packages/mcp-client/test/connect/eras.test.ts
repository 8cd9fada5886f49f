import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hostileServer } from '@ext/mcp-client/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Eras } from '../../src/connect/eras.js'
import { faultOf, launchOf, never, remoteOf, served, sessionWith } from './ground.js'
import { officialLaunch, serveOfficial } from './official.js'

let modern: Awaited<ReturnType<typeof serveOfficial>>
beforeAll(async () => {
  modern = await serveOfficial()
})
afterAll(() => modern.close())

describe('a server over HTTP of which nothing is known', () => {
  test('is asked once what it speaks; after that, it is known', async () => {
    const server = await served('echo')
    const eras = new Eras()
    const open = () => sessionWith(remoteOf(server.url, { protocol: 'auto', listen: 'off' }), { eras }).open(never)
    expect((await open()).protocolVersion).toBe('2025-06-18')
    expect((await open()).protocolVersion).toBe('2025-06-18')
    const initialize = ['POST initialize', 'POST notifications/initialized']
    expect(server.seen).toEqual(['POST server/discover', ...initialize, ...initialize])
  })

  test('is asked again once connecting with what is known of it has failed', async () => {
    const older = await served('echo')
    const eras = new Eras()
    const open = () => sessionWith(remoteOf(older.url, { protocol: 'auto' }), { eras }).open(never)
    eras.learn(older.url, '2026')
    expect(await faultOf(open())).toMatchObject({ message: 'does not speak revision 2026-07-28 of MCP', final: false })
    expect((await open()).protocolVersion).toBe('2025-06-18')
  })

  test('is asked with no more than it is asked with later: no session, no stream, all about itself', async () => {
    const seen: unknown[] = []
    const server = await served('echo@2026', {
      before({ method, headers }) {
        seen.push([method, headers['mcp-method'], headers['mcp-session-id']])
        return false
      },
    })
    const session = sessionWith(remoteOf(server.url, { protocol: 'auto' }))
    await session.open(never)
    await session.call('echo', { text: 'a' }, { signal: never })
    await session.close()
    expect(seen).toEqual([
      ['POST', 'server/discover', undefined],
      ['POST', 'tools/call', undefined],
    ])
  })

  test.each([401, 500])(
    'that answers with %i is asked in the older way, too, and that answer counts',
    async (status) => {
      const server = await served('echo', { before: (_request, response) => !!response.writeHead(status).end() })
      const fault = await faultOf(sessionWith(remoteOf(server.url, { protocol: 'auto' })).open(never))
      expect(fault.message).toContain(String(status))
      expect(fault.needsAuth).toBe(status === 401)
    },
  )
})

describe('a server that does not speak what it is configured for', () => {
  test.each([
    ['over stdio', async () => launchOf('echo', [], {}, '2026')],
    ['over HTTP', async () => remoteOf((await served('echo')).url, { protocol: '2026' })],
  ] as const)('%s says so: it knows 2025 only', async (_over, endpoint) => {
    const fault = await faultOf(sessionWith(await endpoint()).open(never))
    expect(fault).toMatchObject({ message: 'does not speak revision 2026-07-28 of MCP', final: true })
    expect(fault.hint).toBe('Write `protocol: auto` or `protocol: 2025`.')
  })

  test.each([
    ['over stdio', () => officialLaunch('2025')],
    ['over HTTP', () => remoteOf(modern.url)],
  ] as const)('%s says so: it knows 2026 only', async (_over, endpoint) => {
    const fault = await faultOf(sessionWith(endpoint()).open(never))
    expect(fault).toMatchObject({ message: 'speaks only revision 2026-07-28 of MCP', kind: 'protocol', final: true })
    expect(fault.hint).toContain('npm install @modelcontextprotocol/client')
    expect(fault.hint).toContain('`protocol: 2026`')
  })
})

describe('where @modelcontextprotocol/client is not installed', () => {
  const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

  /** What a program that uses the built package hears of these servers. */
  async function without(
    mcpServers: unknown,
  ): Promise<{ readonly tools: readonly string[]; readonly said: readonly string[] }> {
    const args = ['--import', fixture('no-client.mjs'), fixture('report.mjs'), JSON.stringify(mcpServers)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return JSON.parse(stdout)
  }

  test('servers of 2025 work, and others say what to install', async () => {
    const older = await served('echo')
    const { tools, said } = await without({
      older: { url: older.url },
      modern: { url: modern.url },
      wanted: { url: modern.url, protocol: 2026 },
      program: { ...hostileServer('echo'), protocol: 2026 },
    })
    expect(tools).toEqual(['mcp__older__echo'])
    expect(older.seen[0]).toBe('POST initialize')
    const install = 'npm install @modelcontextprotocol/client'
    expect(said).toHaveLength(3)
    for (const each of said) expect(each).toContain(install)
    expect(said.join('\n')).toContain('`modern` speaks only revision 2026-07-28 of MCP')
    expect(said.join('\n')).toContain('is not installed')
  })
})
