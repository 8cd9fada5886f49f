// What importing the package costs a process beside a bare node, in turns, after a build:
// `node packages/hooks/bench/import.mjs`. Always exits with 0: a busy machine is no failure.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const LIMIT_MS = 20
const ROUNDS = 30
const cwd = fileURLToPath(new URL('..', import.meta.url))
const ways = {
  'bare node': '',
  '@ext/hooks': "await import('@ext/hooks')",
  '@ext/hooks/author': "await import('@ext/hooks/author')",
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
const [bare] = times.values()
for (const [name, values] of times) {
  const over = median(values) - median(bare)
  const kept = name === 'bare node' ? '' : `, ${over.toFixed(1)} ms over it, limit ${LIMIT_MS} ms`
  process.stdout.write(`${name.padEnd(18)} ${median(values).toFixed(1)} ms${kept}\n`)
}
