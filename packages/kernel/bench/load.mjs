// What loading costs, next to what it can't be below: `node packages/kernel/bench/load.mjs` after a build.
// Prints medians and ratios; the limits are those of the README. Always exits with 0: a busy machine is no failure.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { definePipeline, documentReader, isMap, mapEntries } from '@ext/kernel'
import { nodeFiles } from '@ext/kernel/node'
import { parse, stringify } from 'yaml'

const ENTRIES = 1000
const ROUNDS = 12
const STARTS = 6

const toys = Object.fromEntries(
  Array.from({ length: ENTRIES }, (_, index) => [
    `toy-${index}`,
    {
      description: `Number ${index} of the box: made of wood, painted red.`,
      command: 'toy-server',
      args: ['--port', String(3000 + index), '--verbose'],
      env: { TOY_HOME: '/var/toys', TOY_LEVEL: 'info' },
      timeout: index,
      enabled: true,
    },
  ]),
)
const folder = mkdtempSync(join(tmpdir(), 'kernel-bench-'))
const yaml = stringify({ toys })
const json = JSON.stringify({ toys }, null, 2)
writeFileSync(join(folder, 'toys.yaml'), yaml)
writeFileSync(join(folder, 'toys.json'), json)

const pipeline = definePipeline({
  axis: 'toys',
  readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
  validate: (input) => ({ value: isMap(input.value) ? input.value : {}, diagnostics: [] }),
  identity: (entry) => entry.pointer,
  merge: 'override',
  needsConsent: () => false,
  compile: (entry) => ({ value: entry.value, diagnostics: [] }),
})
const host = { files: nodeFiles() }

async function load(name) {
  const path = join(folder, name)
  const snapshot = await pipeline.load([{ kind: 'file', layer: 'user', dialect: 'ext', path }], undefined, host)
  if (snapshot.entries.length !== ENTRIES || snapshot.diagnostics.length > 0) throw new Error(`${name} did not load`)
}

const start = (script) => execFileSync(process.execPath, [join(folder, script)], { stdio: 'ignore' })
writeFileSync(join(folder, 'bare.mjs'), '')
writeFileSync(join(folder, 'root.mjs'), `import ${JSON.stringify(fileURLToPath(import.meta.resolve('@ext/kernel')))}\n`)

const [bareYaml, loadYaml, loadJson] = await medians(ROUNDS, [
  () => parse(yaml),
  () => load('toys.yaml'),
  () => load('toys.json'),
])
const [bareNode, withRoot] = await medians(STARTS, [() => start('bare.mjs'), () => start('root.mjs')])
rmSync(folder, { recursive: true })

print(`${ENTRIES} entries, ${(yaml.length / 1024).toFixed(0)} KiB of YAML, Node ${process.version}`)
row('yaml: parse of the text', bareYaml)
row(
  'load of the YAML file',
  loadYaml,
  `${(loadYaml / bareYaml).toFixed(2)} × the parse`,
  loadYaml <= 1.2 * bareYaml,
  1.2,
)
row(
  'load of the JSON file',
  loadJson,
  `${(loadJson / bareYaml).toFixed(3)} × the parse`,
  loadJson <= bareYaml / 10,
  0.1,
)
row('start of bare node', bareNode)
row('start with the root', withRoot, `${(withRoot - bareNode).toFixed(1)} ms more`, withRoot - bareNode <= 15, '15 ms')

/**
 * A few times each in every round, so that a busy moment meets all of them, while hardly any has to clear away what the
 * one before it has left in memory.
 */
async function medians(rounds, tasks) {
  const times = tasks.map(() => [])
  for (const task of tasks) await task()
  for (let round = 0; round < rounds; round++) {
    for (const [index, task] of tasks.entries()) {
      for (let again = 0; again < 3; again++) {
        const from = performance.now()
        await task()
        times[index].push(performance.now() - from)
      }
    }
  }
  return times.map((each) => each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)])
}

function row(what, ms, ratio = '', holds = true, limit = '') {
  const verdict = limit === '' ? '' : `  (limit ${limit}: ${holds ? 'held' : 'MISSED'})`
  print(`${what.padEnd(26)}${ms.toFixed(1).padStart(8)} ms  ${ratio}${verdict}`)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
