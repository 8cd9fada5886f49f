// How long it takes until all tools of 1, 8 and 32 servers can be called, beside the bare SDK that connects to all of them
// at once, in turns; and what one of eight that hangs costs the other seven. After a build:
// `node packages/mcp-client/bench/start.mjs [rounds]`. Always exits with 0: a busy machine is no failure.
import { nodePorts } from '@ext/kernel/node'
import { createMcpClient } from '@ext/mcp-client'
import { hostileServer } from '@ext/mcp-client/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const LIMIT = 1.05
const HANGING_LIMIT = 1.1
const ROUNDS = Number(process.argv[2] ?? 7)
const ports = nodePorts()
const clientInfo = { name: 'bench', version: '1.0.0' }
/** Takes no time of the machine, so that what is measured is what the client makes of it. */
const HANGS = { command: 'sleep', args: ['60'] }
const echoes = (count) => Array.from({ length: count }, (_, index) => [`s${index}`, hostileServer('echo')])
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const least = (values) => Math.min(...values)
const write = (line) => process.stdout.write(`${line}\n`)

/** @returns milliseconds until all tools are there */
async function bareStart(servers) {
  const began = performance.now()
  const clients = await Promise.all(
    servers.map(async ([, entry]) => {
      const client = new Client(clientInfo)
      await client.connect(new StdioClientTransport(entry))
      await client.listTools()
      return client
    }),
  )
  const ms = performance.now() - began
  await Promise.all(clients.map((client) => client.close()))
  return ms
}

/** @returns milliseconds until so many tools are there, until `ready` is back, since it was asked, and its report */
async function start(servers, { usable = servers.length, within = 30_000 } = {}) {
  const began = performance.now()
  const value = { mcpServers: Object.fromEntries(servers) }
  const client = await createMcpClient({
    layers: [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'bench', value }],
    cwd: process.cwd(),
    clientInfo,
    ports,
  })
  let ms
  client.onChange(() => {
    if (client.tools().length === usable) ms ??= performance.now() - began
  })
  const asked = performance.now()
  const report = await client.ready({ within })
  const now = performance.now()
  const [readyMs, waitedMs] = [now - began, now - asked]
  await client.close()
  return { ms, readyMs, waitedMs, report }
}

// Both have loaded everything before anything is timed.
await bareStart(echoes(1))
await start(echoes(1))

for (const count of [1, 8, 32]) {
  const own = []
  const bare = []
  for (let round = 0; round < ROUNDS; round++) {
    const runs = [
      async () => bare.push(await bareStart(echoes(count))),
      async () => own.push((await start(echoes(count))).readyMs),
    ]
    for (const run of round % 2 ? runs.reverse() : runs) await run()
  }
  const paired = median(own.map((ms, index) => ms / bare[index]))
  write(
    `${String(count).padStart(2)} servers  ${median(own).toFixed(0)} ms, bare SDK ${median(bare).toFixed(0)} ms, ` +
      `ratio of medians ${(median(own) / median(bare)).toFixed(3)}, median of pairs ${paired.toFixed(3)}, ` +
      `of the least ${(least(own) / least(bare)).toFixed(3)}, limit ${LIMIT}`,
  )
}

const seven = []
const withOne = []
let last
for (let round = 0; round < ROUNDS; round++) {
  const runs = [
    async () => seven.push((await start(echoes(7))).ms),
    async () => {
      last = await start([...echoes(7), ['hangs', HANGS]], { usable: 7, within: 2000 })
      withOne.push(last.ms)
    },
  ]
  for (const run of round % 2 ? runs.reverse() : runs) await run()
}
write(
  `1 of 8 hangs: seven usable after ${median(withOne).toFixed(0)} ms, without it ${median(seven).toFixed(0)} ms, ` +
    `ratio of medians ${(median(withOne) / median(seven)).toFixed(3)}, ` +
    `of the least ${(least(withOne) / least(seven)).toFixed(3)}, limit ${HANGING_LIMIT}`,
)
write(`              ready({within: 2000}) after ${last.waitedMs.toFixed(0)} ms: ${JSON.stringify(last.report)}`)
