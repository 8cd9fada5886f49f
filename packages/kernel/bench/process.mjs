// What `run` costs beside a bare spawn of the same command, `sh -c true`, in turns within the same process, after a build:
// `node packages/kernel/bench/process.mjs [MB]`. A process that holds more memory takes longer to start children, so the
// size can be given that a real host has. Always exits with 0: a busy machine is no failure.
import { spawn } from 'node:child_process'
import { nodeProcess } from '@ext/kernel/node'

const LIMIT = 1.05
const ROUNDS = 400
const WARM_UP = 50
const env = { PATH: process.env.PATH ?? '' }
const { run } = nodeProcess()
const ballast = Buffer.alloc(Number(process.argv[2] ?? 0) * 1e6, 1)

/** The least that gives the same result: exit code and both outputs, of a group of its own. */
function bare() {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', 'true'], { cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const stdout = []
    const stderr = []
    child.stdout.on('data', (chunk) => stdout.push(chunk))
    child.stderr.on('data', (chunk) => stderr.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve([code, Buffer.concat(stdout).toString(), Buffer.concat(stderr).toString()]))
    child.stdin.end()
  })
}

const ways = {
  'bare spawn': bare,
  run: () => run({ command: { shell: 'sh', script: 'true' }, cwd: '/', env, timeoutMs: 10_000 }),
}
const times = new Map(Object.keys(ways).map((name) => [name, []]))

const first = performance.now()
await ways.run()
const firstMs = performance.now() - first

for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const names = Object.keys(ways)
  for (const name of round % 2 ? names.reverse() : names) {
    const began = performance.now()
    await ways[name]()
    if (round >= WARM_UP) times.get(name).push(performance.now() - began)
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const [bareTimes, runTimes] = times.values()
const paired = median(runTimes.map((ms, index) => ms / bareTimes[index]))
const lines = [...times].map(([name, values]) => {
  return `${name.padEnd(12)} median ${median(values).toFixed(2)} ms, least ${Math.min(...values).toFixed(2)} ms`
})
const size = Math.round(process.memoryUsage.rss() / 1e6)
process.stdout.write(
  `sh -c true, ${ROUNDS} rounds, host of ${size} MB (${ballast.length / 1e6} MB as given)\n${lines.join('\n')}\n` +
    `ratio        of medians ${(median(runTimes) / median(bareTimes)).toFixed(3)}, median of pairs ${paired.toFixed(3)}, ` +
    `limit ${LIMIT}\n` +
    `first run    ${firstMs.toFixed(2)} ms, with the start of the watchdog\n`,
)
