// What a decision costs, next to a Map look-up, bare picomatch and a bare unbash parse in the same run:
// `node packages/permission/bench/decide.mjs` after a build. Prints microseconds unless it says otherwise; exits with 0.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fakeClock, memoryFiles } from '@ext/kernel/testing'
import { createPermission } from '@ext/permission'
import { readCorpus, wellKnownTool } from '@ext/permission/conformance'
import picomatch from 'picomatch'
import { parse } from 'unbash'

const ROUNDS = 7
const COUNTS = [10, 100, 1000, 10_000]

const print = (line) => process.stdout.write(`${line}\n`)
/** What is measured has to be used, or the compiler leaves it out. */
let used = 0

function microseconds(times, run) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    for (let time = 0; time < times; time++) used += run(time) ? 1 : 0
    rounds.push(((performance.now() - start) * 1000) / times)
  }
  return Math.min(...rounds)
}

const row = (name, limit, figures) =>
  print(
    `  ${name.padEnd(44)} ${String(limit).padStart(7)} ${figures.map((each) => each.toFixed(2).padStart(8)).join(' ')}`,
  )

async function sessionWith(permissions, options = {}) {
  const permission = await createPermission({
    layers: [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'bench', value: { permissions } }],
    cwd: '/repo',
    ports: { files: memoryFiles({}), clock: fakeClock(), home: '/home/u', platform: 'linux' },
    ...options,
  })
  return permission.session({ id: 'bench', cwd: '/repo', origin: 'main', permissionMode: 'default' })
}

const request = (tool, input) => ({ call: { id: '1', name: tool.name, input }, tool })
const bash = (command) => request(wellKnownTool('Bash', {}), { command })

/** Rules of every kind, as many of each effect as a large configuration has. */
function manyRules(count) {
  const make = (index) => {
    switch (index % 5) {
      case 0:
        return `mcp__server${index}__tool`
      case 1:
        return `Bash(program${index} sub *)`
      case 2:
        return `Read(./folder${index}/**)`
      case 3:
        return `WebFetch(domain:host${index}.test)`
      default:
        return `Edit(./file${index}.txt)`
    }
  }
  const rules = Array.from({ length: count }, (_, index) => make(index))
  const third = Math.ceil(count / 3)
  return { deny: rules.slice(0, third), ask: rules.slice(third, 2 * third), allow: rules.slice(2 * third) }
}

print(
  `rules                                             limit ${COUNTS.map((each) => String(each).padStart(8)).join(' ')}`,
)
const sessions = []
for (const count of COUNTS) {
  const { deny, ask, allow } = manyRules(count)
  sessions.push(
    await sessionWith({
      deny,
      ask,
      allow: [
        ...allow,
        'Deploy',
        'Bash(git push *)',
        'Bash(ls *)',
        'Bash(git *)',
        'Read(./src/**)',
        'mcp__server1__tool',
        'WebFetch(domain:a.test)',
      ],
    }),
  )
}
const overCounts = (times, asked) =>
  sessions.map((session) => microseconds(times, (time) => session.decide(asked(time)).behavior))
const deploy = request(wellKnownTool('Deploy', {}), { target: 'x' })
const remote = request(wellKnownTool('mcp__server1__tool', { server: 'server1', tool: 'tool' }), {})
row(
  'a tool by its name',
  0.4,
  overCounts(200_000, () => deploy),
)
row(
  'a tool of a server',
  0.4,
  overCounts(200_000, () => remote),
)
const read = wellKnownTool('Read', {})
const paths = Array.from({ length: 4096 }, (_, index) =>
  request(read, { file_path: `src/part${index % 64}/module${index}.ts` }),
)
row(
  'a path, another each time',
  6,
  overCounts(20_000, (time) => paths[time & 4095]),
)
const fetches = Array.from({ length: 256 }, (_, index) =>
  request(wellKnownTool('WebFetch', {}), { url: `https://a.test/${index}` }),
)
row(
  'a domain',
  '',
  overCounts(20_000, (time) => fetches[time & 255]),
)
const push = bash('git push origin main && ls')
row(
  '`git push origin main && ls`',
  8,
  overCounts(20_000, () => push),
)
const lines = Array.from({ length: 4096 }, (_, index) => bash(`git push origin branch${index} && ls`))
row(
  'the same, another branch each time',
  '',
  overCounts(4096, (time) => lines[time & 4095]),
)

print('\nin the same run')
const map = new Map(Array.from({ length: 10_000 }, (_, index) => [`tool${index}`, 'allow']))
row('Map look-up', '', [microseconds(1_000_000, (time) => map.get(`tool${time & 8191}`))])
const glob = picomatch('src/**')
row('picomatch `src/**`', '', [microseconds(100_000, (time) => glob(`src/part/module${time & 4095}.ts`))])
row('unbash parse of `git push origin main && ls`', '', [
  microseconds(20_000, (time) => parse(`git push origin branch${time & 4095} && ls`).commands),
])

const corpus = readCorpus(readFileSync(new URL('../conformance/published.jsonl', import.meta.url), 'utf8'), 'published')
const commands = corpus.rows.filter(({ tool }) => tool === 'Bash').map(({ input }) => input.command)
const all = await sessionWith({ allow: ['Bash(git *)', 'Bash(ls *)'], deny: ['Bash(rm *)', 'Read(./.env)'] })
for (const command of commands) all.decide(bash(`${command} `))
/** Of every line the median of many rounds: the machine does other things as well. */
const cold = commands.map((command) => {
  const times = Array.from({ length: 25 }, (_, round) => {
    // A blank more makes it another line, so that nothing is remembered.
    const asked = bash(command + ' '.repeat(round + 2))
    const start = performance.now()
    used += all.decide(asked).behavior.length
    return (performance.now() - start) * 1000
  })
  return times.sort((a, b) => a - b)[12]
})
cold.sort((a, b) => a - b)
const share = (part) => cold[Math.floor(cold.length * part)]
print(`\nthe ${commands.length} command lines of the published corpus, none of them remembered`)
row('half of them', 60, [share(0.5)])
row('99 of 100', 500, [share(0.99)])
row('bare unbash parse, half of them', '', [
  (() => {
    const each = commands.flatMap((command) => {
      const start = performance.now()
      used += parse(command).commands.length
      return [(performance.now() - start) * 1000]
    })
    return each.sort((a, b) => a - b)[Math.floor(each.length / 2)]
  })(),
])

print('\nmemory, in KiB, over 100,000 decisions of different lines, paths and tools')
global.gc?.()
const [session] = sessions
const before = process.memoryUsage().heapUsed
for (let index = 0; index < 100_000; index++) {
  used += session.decide(
    index % 3 === 0
      ? bash(`git log branch${index} | wc -l`)
      : index % 3 === 1
        ? request(read, { file_path: `src/${index}.ts` })
        : request(wellKnownTool(`Tool${index}`, {}), {}),
  ).behavior.length
}
global.gc?.()
print(
  `  ${((process.memoryUsage().heapUsed - before) / 1024).toFixed(0)}${global.gc ? '' : ' (run with --expose-gc for a figure without garbage)'}`,
)

print('\nimport, in milliseconds over bare node, limit 30')
const time = (code) =>
  Math.min(
    ...Array.from({ length: 9 }, () => {
      const start = performance.now()
      spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: new URL('.', import.meta.url) })
      return performance.now() - start
    }),
  )
const bare = time('0')
const from = (entry) => time(`await import(${JSON.stringify(import.meta.resolve(entry))})`) - bare
for (const entry of ['@ext/permission', '@ext/permission/rule', '@ext/permission/shell']) row(entry, 30, [from(entry)])
if (used < 0) print('')
