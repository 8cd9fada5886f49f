// What a command hook costs beside a bare `sh -c` of the same script with the same stdin and variables, in turns within one process, after
// a build: `node packages/hooks/bench/command.mjs [MB]`. A process that holds more memory takes longer to start children, so
// the size can be given that a real host has. Always exits with 0: a busy machine is no failure.
import { spawn } from 'node:child_process'
import { createHooks } from '@ext/hooks'
import { nodePorts } from '@ext/kernel/node'

const LIMIT = 1.05
const ROUNDS = 400
const WARM_UP = 50
const SCRIPT = 'cat > /dev/null'
const ballast = Buffer.alloc(Number(process.argv[2] ?? 0) * 1e6, 1)

const value = {
  hooks: [
    { event: 'PreToolUse', matcher: 'Bash', if: 'Bash(git push *)', action: { type: 'command', command: SCRIPT } },
  ],
}
const ports = nodePorts()
let given
const run = (request) => {
  given = request
  return ports.process.run(request)
}
const hooks = await createHooks({
  layers: [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'bench', value }],
  root: '/',
  ports: { ...ports, process: { ...ports.process, run } },
})
const session = hooks.session({ id: 'bench', cwd: '/', origin: 'main', permissionMode: 'default' })
const call = (command) => ({ tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call-1' })
await session.fire('PreToolUse', () => call('git push'))
const { stdin, env } = given

/** The least that gives the same result: exit code and both outputs, of a group of its own that has read its input. */
function bare() {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', SCRIPT], { cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const stdout = []
    const stderr = []
    child.stdout.on('data', (chunk) => stdout.push(chunk))
    child.stderr.on('data', (chunk) => stderr.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve([code, Buffer.concat(stdout).toString(), Buffer.concat(stderr).toString()]))
    child.stdin.end(stdin)
  })
}

const ways = { 'bare sh -c': bare, hook: () => session.fire('PreToolUse', () => call('git push')) }
const times = new Map(Object.keys(ways).map((name) => [name, []]))

for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const names = Object.keys(ways)
  for (const name of round % 2 ? names.reverse() : names) {
    const began = performance.now()
    await ways[name]()
    if (round >= WARM_UP) times.get(name).push(performance.now() - began)
  }
}
const began = performance.now()
for (let round = 0; round < 100_000; round++) session.fire('PreToolUse', () => call('git status'))
const unfit = ((performance.now() - began) * 1000) / 100_000
await hooks.close()

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const [bareTimes, hookTimes] = times.values()
const paired = median(hookTimes.map((ms, index) => ms / bareTimes[index]))
const lines = [...times].map(([name, values]) => {
  return `${name.padEnd(12)} median ${median(values).toFixed(2)} ms, least ${Math.min(...values).toFixed(2)} ms`
})
const size = Math.round(process.memoryUsage.rss() / 1e6)
process.stdout.write(
  `${SCRIPT}, ${ROUNDS} rounds, host of ${size} MB (${ballast.length / 1e6} MB as given)\n${lines.join('\n')}\n` +
    `ratio        of medians ${(median(hookTimes) / median(bareTimes)).toFixed(3)}, median of pairs ${paired.toFixed(3)}, ` +
    `limit ${LIMIT}\n` +
    `no start     ${unfit.toFixed(2)} µs for a call that its \`if\` does not fit\n`,
)
