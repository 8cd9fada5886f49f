// What starting costs, next to bare Node in the same rounds: `node apps/cli/bench/start.mjs` after a build.
// Prints medians and ratios; the limit is that of the README. Always exits with 0: a busy machine is no failure.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const ROUNDS = Number(process.argv[2] ?? 25)
const BIN = fileURLToPath(new URL('../bin/ext.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ext-bench-'))
const options = { cwd: folder, stdio: 'ignore', env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder } }

// As it is for who has used it: there is a folder to keep things in.
mkdirSync(join(folder, '.ext'))

const tasks = [
  ['node -e 0', ['-e', '0']],
  ['ext --version', [BIN, '--version']],
  ['ext --help', [BIN, '--help']],
  ['ext doctor, nothing there', [BIN, 'doctor']],
]
const times = tasks.map(() => [])
try {
  for (const [, args] of tasks) execFileSync(process.execPath, args, options)
  // One after the other in each round, so that a busy moment meets all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, [, args]] of tasks.entries()) {
      const from = performance.now()
      execFileSync(process.execPath, args, options)
      times[index].push(performance.now() - from)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const [bare, ...own] = times.map((each) => each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)])
const limit = 1.5 * bare + 40
print(
  `Node ${process.version}, medians of ${ROUNDS} starts; the limit is 1.5 × node -e 0 + 40 ms = ${limit.toFixed(0)} ms`,
)
print(`${tasks[0][0].padEnd(28)}${bare.toFixed(0).padStart(5)} ms`)
for (const [index, ms] of own.entries()) {
  const name = tasks[index + 1][0]
  // The doctor loads every package, which the limit is not about.
  const verdict = name.startsWith('ext --') ? `  (${ms <= limit ? 'held' : 'MISSED'})` : ''
  print(`${name.padEnd(28)}${ms.toFixed(0).padStart(5)} ms  ${(ms / bare).toFixed(2)} ×${verdict}`)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
