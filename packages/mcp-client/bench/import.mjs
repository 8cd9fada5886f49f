// What importing the package costs a process beside the SDK alone, in turns, after a build:
// `node packages/mcp-client/bench/import.mjs`. Always exits with 0: a busy machine is no failure.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const LIMIT_MS = 30
const ROUNDS = 25
const cwd = fileURLToPath(new URL('..', import.meta.url))
const sdk = ['client/index.js', 'client/stdio.js', 'types.js'].map(
  (file) => `await import('@modelcontextprotocol/sdk/${file}')`,
)
const own = "await import('@ext/mcp-client')"
const ways = {
  'bare node': '',
  'the package alone': own,
  'the SDK': sdk.join(';'),
  both: [own, ...sdk].join(';'),
}
const times = new Map(Object.keys(ways).map((name) => [name, []]))
for (let round = -3; round < ROUNDS; round++) {
  for (const [name, code] of Object.entries(ways)) {
    const began = performance.now()
    spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd })
    if (round >= 0) times.get(name).push(performance.now() - began)
  }
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const least = (values) => Math.min(...values)
for (const [name, values] of times) {
  process.stdout.write(
    `${name.padEnd(17)} median ${median(values).toFixed(1)} ms, least ${least(values).toFixed(1)} ms\n`,
  )
}
const over = (figure) => (figure(times.get('both')) - figure(times.get('the SDK'))).toFixed(1)
process.stdout.write(`over the SDK      median ${over(median)} ms, least ${over(least)} ms, limit ${LIMIT_MS} ms\n`)
