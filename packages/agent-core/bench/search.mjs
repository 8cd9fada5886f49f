// What Glob and Grep cost beside a bare walk and a bare search of the same files, in turns within the same process:
// `node packages/agent-core/bench/search.mjs [FILES]` after a build. The files are those of a project: 200 lines each, ten in a
// folder. Prints medians, and how long the event loop was kept from others. Always exits with 0: a busy machine is no failure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileTools } from '@ext/agent-core/tools'
import { nodeClock, nodeWorkFiles } from '@ext/kernel/node'

const FILES = Number(process.argv[2] ?? 5000)
const ROUNDS = 5
const root = mkdtempSync(join(tmpdir(), 'ext-bench-'))
const line = (file, number) =>
  `export const value_${file}_${number} = compute(${number}, 'some text of a usual length') // ${file}\n`
for (let file = 0; file < FILES; file++) {
  const folder = join(root, `p${Math.floor(file / 100)}`, `d${Math.floor(file / 10) % 10}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `f${file}.ts`), Array.from({ length: 200 }, (_, number) => line(file, number)).join(''))
}
writeFileSync(join(root, '.gitignore'), 'node_modules/\n*.log\n/dist\n')

const ports = { files: nodeWorkFiles(), clock: nodeClock(), home: '/', platform: process.platform }
const tools = new Map(fileTools({ ports, limits: { results: 100_000 } }).map((tool) => [tool.name, tool]))
const context = {
  signal: new AbortController().signal,
  session: { id: 's', cwd: root, origin: 'main', permissionMode: 'default' },
  callId: 'c',
  idempotencyKey: 'k',
  progress() {},
  report() {},
}
const call = (name, input) => () => tools.get(name).run(input, context)

async function bareWalk(visit = () => {}) {
  for (const item of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (item.isFile()) await visit(join(item.parentPath, item.name))
  }
}

/** One file after another, with a regular expression of V8 on each line. */
function bareSearch(pattern) {
  const found = []
  return bareWalk(async (path) => {
    for (const text of (await readFile(path, 'utf8')).split('\n')) if (pattern.test(text)) found.push(path)
  })
}

const pairs = [
  ['Glob *.ts', call('Glob', { pattern: '*.ts' }), () => bareWalk()],
  ['Grep of a word that is nowhere', call('Grep', { pattern: 'nowhere' }), () => bareSearch(/nowhere/)],
  ['Grep value_\\d+_199\\b', call('Grep', { pattern: 'value_\\d+_199\\b' }), () => bareSearch(/value_\d+_199\b/)],
  [
    'Grep of every line, as count',
    call('Grep', { pattern: 'compute', output_mode: 'count' }),
    () => bareSearch(/compute/),
  ],
]
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** How long nobody else had a turn while this ran. */
async function longestWait(run) {
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  await run()
  clearInterval(timer)
  return longest
}

const lines = [`${FILES} files, medians of ${ROUNDS} rounds`]
for (const [name, tool, bare] of pairs) {
  const times = { tool: [], bare: [] }
  const waits = []
  for (let round = 0; round < ROUNDS; round++) {
    let started = performance.now()
    await bare()
    times.bare.push(performance.now() - started)
    started = performance.now()
    waits.push(await longestWait(tool))
    times.tool.push(performance.now() - started)
  }
  const [own, least, wait] = [median(times.tool), median(times.bare), median(waits)].map(Math.round)
  lines.push(`${name}: ${own} ms, bare ${least} ms; others waited ${wait} ms at most`)
}
process.stdout.write(`${lines.join('\n')}\n`)
rmSync(root, { recursive: true, force: true })
