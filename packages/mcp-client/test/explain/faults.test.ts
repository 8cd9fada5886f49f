import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { McpClient } from '../../src/index.js'
import { hostile, settled, textOf, worker } from '../helpers.js'

/** For servers that never answer; the others get the time that a busy machine takes. */
const SHORT = { timeout: { connect: '2s', call: '500ms' } }
const TOOL = 'mcp__bad__echo'

async function http(listener: RequestListener): Promise<{ readonly url: string }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
}

const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body)
  }

async function closedPort(): Promise<{ readonly url: string }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return { url: `http://127.0.0.1:${port}/mcp` }
}

type Fault = readonly [what: string, entry: () => object | Promise<object>, input?: object, tool?: string]

const FAULTS: readonly Fault[] = [
  ['the command does not exist', () => ({ command: 'no-such-program' })],
  ['it exits at once', () => hostile('exit')],
  ['it is killed by a signal', () => ({ command: 'sh', args: ['-c', 'echo "out of memory" >&2; kill -9 $$'] })],
  ['it never answers initialize', () => ({ ...hostile('mute'), ...SHORT })],
  [
    'it writes something else than MCP',
    () => ({ command: 'sh', args: ['-c', 'echo "Usage: serve [file]"; sleep 9'], ...SHORT }),
  ],
  ['it answers initialize wrongly', () => hostile('badinit')],
  ['it speaks another version of the protocol', () => hostile('oldversion')],
  ['its list of tools is none', () => hostile('badlist')],
  ['its list of tools never comes', () => ({ ...worker({ nolist: true }), ...SHORT })],
  ['it dies in a call', () => hostile('die'), {}],
  ['it does not answer a call', () => ({ ...hostile('slow'), timeout: { call: '500ms' } }), {}],
  ['it refuses a call', () => hostile('odd'), { what: 'rpcerror' }],
  ['its tool fails', () => hostile('odd'), { what: 'iserror' }],
  ['it answers a call with nonsense', () => hostile('odd'), { what: 'malformed' }],
  ['it answers a call with content that is none', () => hostile('odd'), { what: 'badcontent' }],
  ['nothing listens at the address', closedPort],
  ['the host does not exist', () => ({ url: 'http://no-such-host.invalid/mcp' })],
  ['a web page is at the address', () => http(answer(200, { 'content-type': 'text/html' }, '<h1>Welcome</h1>'))],
  ['it wants credentials', () => http(answer(401, { 'www-authenticate': 'Bearer realm="mcp"' }))],
  ['it refuses the credentials', () => http(answer(403))],
  ['it fails inside', () => http(answer(500, { 'content-type': 'text/plain' }, 'stack overflow'))],
  ['it is overloaded', () => http(answer(503))],
  ['it redirects to another host', () => http(answer(307, { location: 'https://elsewhere.invalid/mcp' }))],
  ['it redirects for ever', () => http(answer(307, { location: '/mcp' }))],
]

/** Everything that people and models get to read about it. */
function account(made: McpClient, call: Awaited<ReturnType<McpClient['call']>>): string {
  const [row] = made.status()
  const { hint: _shown, call: _facts, ...meta } = call.meta ?? {}
  const lines = [
    `${row?.state}${row?.cause === undefined ? '' : `: ${row.cause}`}`,
    ...made.diagnostics.map(({ severity, code, message, hint }) => `${severity} ${code}\n  ${message}\n  fix: ${hint}`),
    `a call: ${textOf(call)}\n  ${JSON.stringify(meta)}`,
  ]
  return lines
    .join('\n')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:80')
    .replaceAll(process.cwd(), '/work')
}

test('each of these faults is explained so that its cause can be found', async () => {
  const accounts = await Promise.all(
    FAULTS.map(async ([what, entry, input = {}]) => {
      const made = await settled({ bad: { reconnect: false, ...(await entry()) } })
      return `# ${what}\n${account(made, await made.call(TOOL, input as Record<string, string>))}\n`
    }),
  )
  await expect(accounts.join('\n')).toMatchFileSnapshot('faults.golden.txt')
}, 40_000)
