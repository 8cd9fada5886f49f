// What it costs to keep a session and to take it up again: `node packages/agent-core/bench/sessions.mjs [FOLDER]` after a build.
// The folder decides how long a sync takes; by default it is one for temporary files. Prints medians, each beside the bare work
// that can't be had for less in the same process. Always exits with 0: a busy machine is no failure.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createAgent, defineTool } from '@ext/agent-core'
import { fileSessionStore } from '@ext/agent-core/node'
import { scriptedModel } from '@ext/agent-core/scripted'
import { nodeClock } from '@ext/kernel/node'

const RESUME_LIMIT_MS = 200
const ROUNDS = 7
const EVENTS = 10_000
const TURNS = 2000

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'ext-bench-'))
const echo = defineTool({
  name: 'echo',
  description: 'Repeats a text.',
  kind: 'meta',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: async ({ text }) => `echo: ${text}`,
})
const text = 'some words of a result, as a tool may have given it. '.repeat(4)
const modelOf = (turns) =>
  scriptedModel({
    turns: Array.from({ length: turns }, (_, index) =>
      index === turns - 1 ? { say: 'done' } : { calls: [{ tool: 'echo', input: { text: `${index} ${text}` } }] },
    ),
  })
const agentOf = (turns, more) =>
  createAgent({
    model: modelOf(turns),
    tools: [echo],
    ports: { clock: nodeClock() },
    limits: { maxTurns: turns },
    ...more,
  })

let sessions = 0
async function play(agent) {
  const session = agent.session({ id: `s${++sessions}`, cwd: '/' })
  const { reason } = await session.run('go').result
  if (reason !== 'done') throw new Error(reason)
  await session.end()
  return session.id
}

try {
  print(`Node ${process.version}, medians of ${ROUNDS} rounds, logs in ${folder}`)
  await printTurns()
  await printResume()
  await printList()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** A turn has three events: the answer, the start of the call and its result. */
async function printTurns() {
  const store = fileSessionStore({ folder: join(folder, 'turns') })
  const plain = await agentOf(TURNS, {})
  const keeping = await agentOf(TURNS, { store })
  const times = { plain: [], kept: [], bare: [] }
  let id = ''
  for (let round = 0; round <= ROUNDS; round++) {
    const note = (name, ms) => round > 0 && times[name].push((ms * 1000) / TURNS)
    note('plain', await timed(() => play(plain)))
    note('kept', await timed(async () => (id = await play(keeping))))
    const lines = readFileSync(store.place(id, '/'), 'utf8').split(/(?<=\n)/)
    note('bare', await timed(() => writeLines(lines)))
  }
  print(`a turn of ${TURNS} in one run`)
  row('not kept', median(times.plain), 'µs')
  row('kept', median(times.kept), 'µs', median(times.kept) - median(times.plain))
  row('bare writes of its lines', median(times.bare), 'µs')
}

/** The same lines, one write each, and a sync at the end. */
function writeLines(lines) {
  const handle = openSync(join(folder, 'bare'), 'w')
  for (const line of lines) writeSync(handle, line)
  fdatasyncSync(handle)
  closeSync(handle)
}

async function printResume() {
  const store = fileSessionStore({ folder: join(folder, 'resume') })
  const turns = Math.ceil(EVENTS / 3)
  const id = await play(await agentOf(turns, { store }))
  const file = store.place(id, '/')
  const agent = await agentOf(turns, { store })
  const times = { resume: [], bare: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    const ms = await timed(async () => {
      const session = await agent.resume(id)
      if (session.messages.length !== turns * 2) throw new Error(`${session.messages.length} messages`)
      await session.end()
    })
    const bare = await timed(() => {
      for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') JSON.parse(line)
    })
    if (round > 0) times.resume.push(ms)
    if (round > 0) times.bare.push(bare)
  }
  const lines = readFileSync(file, 'utf8').split('\n').length - 2
  print(`resume of ${lines} events, ${(statSync(file).size / 1024 / 1024).toFixed(1)} MiB`)
  row('resume and end', median(times.resume), 'ms', undefined, RESUME_LIMIT_MS)
  row('bare read and JSON.parse', median(times.bare), 'ms')
}

async function printList() {
  const store = fileSessionStore({ folder: join(folder, 'list') })
  const agent = await agentOf(30, { store })
  for (let each = 0; each < 200; each++) await play(agent)
  const times = { list: [], search: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    const list = await timed(() => store.list({ cwd: '/' }))
    const search = await timed(() => store.search('nobody said this'))
    if (round > 0) times.list.push(list)
    if (round > 0) times.search.push(search)
  }
  print('200 sessions of 30 turns')
  row('list of the newest 50', median(times.list), 'ms')
  row('search in all of them', median(times.search), 'ms')
}

async function timed(work) {
  const from = performance.now()
  await work()
  return performance.now() - from
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function row(what, value, unit, more, limit) {
  const overhead = more === undefined ? '' : `${more.toFixed(1).padStart(8)} ${unit} more`
  const verdict = limit === undefined ? '' : `  (limit ${limit}: ${value <= limit ? 'held' : 'MISSED'})`
  print(`  ${what.padEnd(26)}${value.toFixed(1).padStart(8)} ${unit}${overhead}${verdict}`)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
