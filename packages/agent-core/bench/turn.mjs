// What a turn of the loop costs beside the bare model and tool, in turns within the same process, and what it leaves in
// memory: `node packages/agent-core/bench/turn.mjs [TURNS]` after a build. A turn is one call of a scripted model and one of a
// function tool. The scripted model reads the whole conversation each time, which in a long one drives all else from the
// caches of the processor, so that one is also had with a model that reads nothing of it. Prints medians; the limit is that of the loop with nothing in it. Always exits with 0: a busy machine is no
// failure.
import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { createAgent, defineTool } from '@ext/agent-core'
import { scriptedModel } from '@ext/agent-core/scripted'
import { nodeClock } from '@ext/kernel/node'

const LIMIT_US = 50
const ROUNDS = 5
const TURNS = Number(process.argv[2] ?? 10_000)
const SHORT = 20

if (!globalThis.gc) {
  spawnSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), String(TURNS)], { stdio: 'inherit' })
  process.exit(0)
}

const echo = defineTool({
  name: 'echo',
  description: 'Repeats a text.',
  kind: 'read',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: async ({ text }) => `echo: ${text}`,
})

const nothing = Promise.resolve({ runs: [], context: [], notices: [] })
const interceptor = {
  session: () => ({
    fire(_event, payload) {
      payload()
      return nothing
    },
  }),
}
const decision = { behavior: 'allow', decidedBy: { layer: 'rules' }, reason: 'a rule', modelReason: '', trace: [] }
const answer = { behavior: 'allow', decision, answeredBy: 'rules', reason: '', modelReason: '', waitMs: 0, notices: [] }
const gate = { session: () => ({ authorize: async () => answer }) }

const modelOf = (turns) =>
  scriptedModel({
    turns: Array.from({ length: turns }, (_, index) =>
      index === turns - 1 ? { say: 'done' } : { calls: [{ tool: 'echo', input: { text: `number ${index}` } }] },
    ),
  })

/** Answers without a look at what it is sent. */
function blindModelOf(turns) {
  let asked = 0
  return {
    id: 'blind',
    async *stream() {
      const index = asked++ % turns
      if (index === turns - 1) yield { type: 'text', text: 'done' }
      else yield { type: 'tool_call', id: `call_${index}`, name: 'echo', input: { text: `number ${index}` } }
    },
  }
}

/** The least that keeps a conversation: ask, call, note down. */
async function bare(model) {
  const { signal } = new AbortController()
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }]
  for (;;) {
    let text = ''
    const calls = []
    for await (const event of model.stream({ system: '', messages, tools: [echo] }, { signal })) {
      if (event.type === 'text') text += event.text
      else calls.push({ id: event.id, name: event.name, input: event.input })
    }
    messages.push({ role: 'assistant', text, calls })
    if (calls.length === 0) return messages
    const results = []
    for (const { id, name, input } of calls) results.push({ callId: id, name, ...(await echo.run(input, { signal })) })
    messages.push({ role: 'tool', results })
  }
}

const agentOf = (model, more) =>
  createAgent({ model, tools: [echo], ports: { clock: nodeClock() }, limits: { maxTurns: TURNS }, ...more })

async function loop(agent, turns) {
  const session = agent.session({ cwd: '/' })
  const result = await session.run('go').result
  if (result.reason !== 'done' || result.turns !== turns)
    throw new Error(`${result.reason} after ${result.turns} turns`)
  return session
}

print(`Node ${process.version}, medians of ${ROUNDS} rounds`)
for (const [what, conversations, turns, model] of [
  [`${TURNS / SHORT} conversations of ${SHORT} turns`, TURNS / SHORT, SHORT, modelOf(SHORT)],
  [`one conversation of ${TURNS} turns`, 1, TURNS, modelOf(TURNS)],
  [`one conversation of ${TURNS} turns that the model does not read`, 1, TURNS, blindModelOf(TURNS)],
]) {
  const plain = await agentOf(model, {})
  const guarded = await agentOf(model, { interceptor, gate })
  const endedLoop = async (agent) => (await loop(agent, turns)).end()
  const ways = { bare: () => bare(model), loop: () => endedLoop(plain), guarded: () => endedLoop(guarded) }
  const us = await microsecondsPerTurn(ways, conversations, turns)
  print(what)
  row('bare model and tool', us.bare)
  row('the loop', us.loop, us.loop - us.bare, LIMIT_US)
  row('with interceptor and gate', us.guarded, us.guarded - us.bare)
}

await printMemory(modelOf(TURNS))

async function printMemory(model) {
  const agent = await agentOf(model, {})
  const before = heap()
  const kept = async (make) => ({ value: await make(), bytes: heap() - before })
  const { bytes: ofBare } = await kept(() => bare(model))
  const { value: session, bytes: ofSession } = await kept(() => loop(agent, TURNS))
  const log = JSON.stringify(session.messages).length
  await session.clear()
  const ofEnded = heap() - before
  await agent.close()
  print(`one conversation of ${TURNS} turns, whose messages are ${mib(log)} of JSON, keeps in memory`)
  print(`  bare ${mib(ofBare)}, session ${mib(ofSession)}, cleared session ${mib(ofEnded)}`)
}

async function microsecondsPerTurn(ways, conversations, turns) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      globalThis.gc()
      const from = performance.now()
      for (let each = 0; each < conversations; each++) await way()
      const spent = ((performance.now() - from) * 1000) / (conversations * turns)
      // The first round warms up.
      if (round > 0) times[name].push(spent)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, each]) => [name, median(each)]))
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function heap() {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

function mib(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

function row(what, us, more, limit) {
  const overhead = more === undefined ? '' : `${more.toFixed(1).padStart(8)} µs more`
  const verdict = limit === undefined ? '' : `  (limit ${limit}: ${more <= limit ? 'held' : 'MISSED'})`
  print(`  ${what.padEnd(26)}${us.toFixed(1).padStart(8)} µs a turn${overhead}${verdict}`)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
