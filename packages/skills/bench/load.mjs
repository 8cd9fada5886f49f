// Loading skills, in a fresh process each time, against one synchronous pass that lists the same folders and reads the
// same heads with one 4 KiB buffer. Run it after a build: node packages/skills/bench/load.mjs [skills…]
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const print = (...parts) => process.stdout.write(`${parts.join(' ')}\n`)
const [, , role, ...rest] = process.argv
if (role === 'bare') bare(rest[0])
else if (role === 'load') await load(rest[0])
else await report(process.argv.slice(2).map(Number))

async function report(sizes) {
  const cases =
    sizes.length > 0
      ? sizes.map((count) => [count, 4])
      : [
          [10, 4],
          [100, 4],
          [1000, 4],
          [5000, 4],
          [1000, 40],
        ]
  const folders = cases.map(([count, kilobytes]) => write(count, kilobytes))
  // Times of files are believed once they are two seconds old.
  await new Promise((resolve) => setTimeout(resolve, 2200))
  print(
    'skills (body)     bare p50   load p50 (min)   waited   ×bare  ×bare in CPU   second   ÷first   worst block   kept bare / load / used',
  )
  for (const [index, [count, kilobytes]] of cases.entries()) {
    const samples = count >= 1000 ? 7 : 15
    const runs = { bare: [], load: [] }
    // In turn, so that whatever else the machine does hits both.
    for (let sample = 0; sample < samples; sample++)
      for (const kind of ['bare', 'load']) runs[kind].push(run(kind, folders[index]))
    const p50 = (kind, field) => median(runs[kind].map((each) => each[field]))
    const [plain, first, second] = [p50('bare', 'ms'), p50('load', 'ms'), p50('load', 'second')]
    print(
      `${String(count).padStart(5)} (${kilobytes} kB)`.padEnd(16),
      `${plain.toFixed(1)} ms`.padStart(10),
      `${first.toFixed(1)} (${Math.min(...runs.load.map(({ ms }) => ms)).toFixed(1)}) ms`.padStart(17),
      `${p50('load', 'waited').toFixed(1)} ms`.padStart(8),
      (first / plain).toFixed(2).padStart(7),
      (p50('load', 'cpu') / p50('bare', 'cpu')).toFixed(2).padStart(13),
      `${second.toFixed(1)} ms`.padStart(9),
      (first / second).toFixed(1).padStart(8),
      `${p50('load', 'block').toFixed(1)} ms`.padStart(13),
      `${['bare/kept', 'load/kept', 'load/used'].map((each) => mega(p50(...each.split('/')))).join(' / ')} MB`.padStart(
        25,
      ),
    )
  }
  for (const folder of folders) rmSync(folder, { recursive: true })
}

function run(kind, folder) {
  const script = fileURLToPath(import.meta.url)
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', script, kind, folder], { encoding: 'utf8' }))
}

function bare(root) {
  const before = heap()
  const used = process.cpuUsage()
  const start = performance.now()
  const buffer = Buffer.allocUnsafe(4096)
  const kept = []
  for (const name of readdirSync(root)) {
    const folder = `${root}/${name}`
    if (!readdirSync(folder).includes('SKILL.md')) continue
    const file = `${folder}/SKILL.md`
    const descriptor = openSync(file)
    const length = readSync(descriptor, buffer, 0, 4096, 0)
    closeSync(descriptor)
    const head = buffer.toString('utf8', 4, buffer.subarray(0, length).indexOf('\n---', 4))
    const field = (key) => new RegExp(`^${key}: (.*)$`, 'm').exec(head)?.[1]
    kept.push({ name: field('name'), description: field('description'), file })
  }
  const ms = performance.now() - start
  print(JSON.stringify({ ms, cpu: cpu(used), kept: heap() - before, count: kept.length }))
}

async function load(root) {
  const { nodePorts } = await import('@ext/kernel/node')
  const { loadSkills } = await import('../dist/index.js')
  const options = (path) => ({
    layers: [{ kind: 'folder', layer: 'user', dialect: 'skills', path }],
    ports: nodePorts(),
    projectDir: root,
    limits: { folders: 100_000 },
  })
  await loadSkills(options('/nothing-here'))
  const before = heap()
  const blocks = watchBlocks()
  const cpuBefore = process.cpuUsage()
  const waitedBefore = waited()
  const start = performance.now()
  const skills = await loadSkills(options(root))
  const ms = performance.now() - start
  const waiting = waited() - waitedBefore
  const spent = cpu(cpuBefore)
  const block = blocks.end()
  const again = performance.now()
  await skills.reload()
  const second = performance.now() - again
  const kept = (await heapLater()) - before
  use(skills, root)
  const used = (await heapLater()) - before
  const { length: count } = skills.snapshot.entries
  print(JSON.stringify({ ms, waited: waiting, cpu: spent, block, second, kept, used, count }))
}

/** What a session asks at its start, and thereby every skill. */
function use(skills, cwd) {
  const session = skills.session({ id: 'bench', cwd, origin: 'main', permissionMode: 'default' })
  if (session.context().length === 0 || !skills.lookUp('skill-0001', 'user').skill) throw new Error('Nothing is there.')
}

/** The longest time in which the event loop had no turn. */
function watchBlocks() {
  let last = performance.now()
  let worst = 0
  let ended = false
  const turn = () => {
    const now = performance.now()
    worst = Math.max(worst, now - last)
    last = now
    if (!ended) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    end() {
      ended = true
      return Math.max(worst, performance.now() - last)
    },
  }
}

function write(count, kilobytes) {
  const root = mkdtempSync(join(tmpdir(), 'ext-skills-bench-'))
  const body = 'A line of the body of a skill.\n'.repeat((kilobytes * 1024) / 31)
  for (let index = 0; index < count; index++) {
    const name = `skill-${String(index).padStart(4, '0')}`
    mkdirSync(join(root, name))
    const description = `Does the thing number ${index}. Use it when somebody asks for a thing like this one, or for more.`
    writeFileSync(join(root, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\n${body}`)
  }
  return root
}

/**
 * For how long the main thread could have worked and had no core, in milliseconds: V8 compiles in four other threads,
 * which is more than two cores take. Only Linux tells.
 */
function waited() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return Number.NaN
  }
}

function cpu(since) {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

function heap() {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** What may be let go of is held for a turn or two. */
async function heapLater() {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    heap()
  }
  return heap()
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

function mega(bytes) {
  return (bytes / 1e6).toFixed(2)
}
