// What a prompt holds of 330 tools of 8 servers, and how often the right tool for a request is among the first that a search
// gives, beside a list that is cut off where the same budget ends. After a build:
// `node packages/mcp-client/bench/search.mjs [tokens]`. Always exits with 0.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nodePorts } from '@ext/kernel/node'
import { estimateTokens } from '@ext/kernel/words'
import { createMcpClient } from '@ext/mcp-client'

const TOKENS = Number(process.argv[2] ?? 10_000)
const test = (path) => fileURLToPath(new URL(`../test/${path}`, import.meta.url))
const SERVERS = ['github', 'slack', 'jira', 'postgres', 'filesystem', 'browser', 'calendar', 'cloud']
const requests = readFileSync(test('search/requests.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const mcpServers = Object.fromEntries(
  SERVERS.map((name) => [name, { command: process.execPath, args: [test('fixtures/catalog.mjs'), name] }]),
)
const write = (line) => process.stdout.write(`${line}\n`)
const client = await createMcpClient({
  layers: [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'bench', value: { mcpServers } }],
  cwd: process.cwd(),
  clientInfo: { name: 'bench', version: '1.0.0' },
  ports: nodePorts(),
  search: { tokens: TOKENS, always: ['mcp__filesystem__read_text_file', 'mcp__filesystem__edit_file'] },
})
await client.ready({ within: 30_000 })
const ref = { id: 'bench', cwd: process.cwd(), origin: 'main', permissionMode: 'default' }
const context = {
  signal: new AbortController().signal,
  session: ref,
  callId: '1',
  idempotencyKey: '1',
  progress() {},
  report() {},
}
const tokensOf = (tools) =>
  tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + estimateTokens(JSON.stringify({ name, description, inputSchema })),
    0,
  )

const all = client.tools()
const session = client.session(ref)
const listed = session.tools()
write(`all tools          ${all.length} of ${SERVERS.length} servers, ${Math.round(tokensOf(all))} tokens`)
write(`listed at first    ${listed.length}, ${Math.round(tokensOf(listed))} tokens, budget ${TOKENS}`)

let room = TOKENS
const cut = new Set(
  all.filter((tool) => {
    room -= tokensOf([tool])
    return room >= 0
  }),
)
const nameOf = ({ tool }) => `mcp__${tool.replace('/', '__')}`
const times = []
const hits = { 1: 0, 3: 0, 5: 0, 10: 0 }
const missed = []
let most = 0
for (const request of requests) {
  const one = client.session(ref)
  const search = one.tools().find(({ name }) => name === 'tool_search')
  const began = performance.now()
  const { structured } = await search.run({ query: request.request, limit: 10 }, context)
  times.push(performance.now() - began)
  const at = structured.tools.indexOf(nameOf(request))
  for (const limit of Object.keys(hits)) if (at >= 0 && at < Number(limit)) hits[limit]++
  if (at < 0 || at >= 3) missed.push(`${request.request} -> ${request.tool} ${at}: ${structured.tools.slice(0, 3)}`)
  most = Math.max(most, tokensOf(one.tools()))
}
const share = (count) => (count / requests.length).toFixed(2)
write(`after a search     at most ${Math.round(most)} tokens`)
write(
  `search             recall@1 ${share(hits[1])}, @3 ${share(hits[3])}, @5 ${share(hits[5])}, @10 ${share(hits[10])} of ${requests.length} requests`,
)
const inCut = requests.filter((request) => [...cut].some(({ name }) => name === nameOf(request))).length
write(`cut off list       ${cut.size} tools; the right one is among them for ${share(inCut)} of the requests`)
const [first, ...others] = times
write(
  `time               first search ${first.toFixed(1)} ms with its index, others ${others.toSorted((a, b) => a - b)[Math.floor(others.length / 2)].toFixed(2)} ms (median)`,
)
if (process.argv[3]) write(missed.join('\n'))
await client.close()
