// What a call through the client costs beside the same call through the bare SDK, to the same server over stdio, in turns
// within one process, after a build: `node packages/mcp-client/bench/call.mjs`. Always exits with 0: a busy machine is no
// failure.
import { nodePorts } from '@ext/kernel/node'
import { createMcpClient } from '@ext/mcp-client'
import { hostileServer } from '@ext/mcp-client/testing'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const LIMIT = 1.15
const ROUNDS = 60
const CALLS = 100
const entry = hostileServer('echo')
const clientInfo = { name: 'bench', version: '1.0.0' }

const bare = new Client(clientInfo)
await bare.connect(new StdioClientTransport(entry))
await bare.listTools()
const client = await createMcpClient({
  layers: [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'bench', value: { mcpServers: { s: entry } } }],
  cwd: process.cwd(),
  clientInfo,
  ports: nodePorts(),
})
const { ready } = await client.ready({ within: 20_000 })
if (ready.length !== 1) throw new Error(JSON.stringify(client.diagnostics))

const input = { text: 'x'.repeat(200) }
const ways = {
  'bare SDK': () => bare.callTool({ name: 'echo', arguments: input }),
  client: () => client.call('mcp__s__echo', input),
}
const times = new Map(Object.keys(ways).map((name) => [name, []]))
for (let round = -10; round < ROUNDS; round++) {
  const names = Object.keys(ways)
  for (const name of round % 2 ? names.reverse() : names) {
    const began = performance.now()
    for (let call = 0; call < CALLS; call++) await ways[name]()
    if (round >= 0) times.get(name).push(((performance.now() - began) * 1000) / CALLS)
  }
}
await Promise.all([bare.close(), client.close()])

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const [bareTimes, clientTimes] = times.values()
for (const [name, values] of times) {
  process.stdout.write(
    `${name.padEnd(9)} median ${median(values).toFixed(1)} µs, least ${Math.min(...values).toFixed(1)} µs\n`,
  )
}
const paired = median(clientTimes.map((time, index) => time / bareTimes[index]))
const ratio = median(clientTimes) / median(bareTimes)
const least = Math.min(...clientTimes) / Math.min(...bareTimes)
process.stdout.write(
  `ratio     of medians ${ratio.toFixed(3)}, median of pairs ${paired.toFixed(3)}, of the least ${least.toFixed(3)}, ` +
    `limit ${LIMIT}\n`,
)
