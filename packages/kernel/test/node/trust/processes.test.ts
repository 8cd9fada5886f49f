import { type SpawnOptions, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project } from '../../trust/project.js'
import { nodeForEverybody, unprivileged } from '../../unprivileged.js'

let folder = ''
let program = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ext-trust-child-'))
  chmodSync(folder, 0o755)
  program = join(folder, 'child.cjs')
  const entry = fileURLToPath(new URL('child.ts', import.meta.url))
  // The only way to run the sources in another process on every Node that is supported.
  await build({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  })
  chmodSync(program, 0o644)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Report {
  readonly refused?: readonly string[]
  readonly approved?: number
  readonly problems?: readonly string[]
  readonly codes?: readonly string[]
}

interface Ended {
  readonly report: Report
  readonly signal: string | null
}

async function run(args: readonly (string | number)[], options: SpawnOptions = {}, shell?: string): Promise<Ended> {
  const command = [
    options.uid === undefined ? process.execPath : await nodeForEverybody(),
    program,
    ...args.map(String),
  ]
  const [file = '', ...rest] = shell === undefined ? command : ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...command]
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, { ...options, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
    })
    child.on('error', reject)
    child.on('close', (_, signal) => resolve({ report: out === '' ? {} : JSON.parse(out), signal }))
  })
}

describe('several processes', () => {
  it('that approve at once lose nothing, and leave nothing behind', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const file = join(root, 'home/.ext/trust.json')
    const all = await Promise.all([0, 15, 30, 45].map((from) => run(['approve', file, root, from, from + 15])))
    expect(all.flatMap(({ report }) => report.refused)).toEqual([])
    expect((await run(['check', file, root, 0, 60])).report).toEqual({ approved: 60, problems: [], codes: [] })
    expect(readdirSync(join(root, 'home/.ext'))).toEqual(['trust.json'])
  }, 60_000)

  it('do not wait for ever for one that was killed with the lock', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const file = join(root, 'trust.json')
    await run(['approve', file, root, 0, 1])
    expect((await run(['die', file, root])).signal).toBe('SIGKILL')
    expect(existsSync(`${file}.lock`)).toBe(true)
    // As if the ten seconds were over.
    utimesSync(`${file}.lock`, 0, 0)
    expect((await run(['approve', file, root, 1, 2])).report.refused).toEqual([])
    expect((await run(['check', file, root, 0, 2])).report.approved).toBe(2)
    expect(existsSync(`${file}.lock`)).toBe(false)
  }, 60_000)

  it('say so when the lock is never free', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const file = join(root, 'trust.json')
    mkdirSync(`${file}.lock`)
    // As if somebody refreshed it for the next hour.
    utimesSync(`${file}.lock`, new Date(), new Date(Date.now() + 3_600_000))
    expect((await run(['approve', file, root, 0, 1])).report.refused).toEqual([
      expect.stringMatching(/^Another process holds the trust store .* remove the folder .*trust\.json\.lock\.$/),
    ])
    expect(existsSync(file)).toBe(false)
  }, 60_000)
})

describe('a user without privileges', () => {
  /** A project of that user. */
  function own(): string {
    const root = project({ 'guard.mjs': 'one' })
    const { uid, gid } = unprivileged
    if (uid !== undefined && gid !== undefined) {
      for (const path of [root, join(root, 'guard.mjs')]) chownSync(path, uid, gid)
    }
    return root
  }

  it('gets no approval of a script that can no longer be read', async () => {
    const root = own()
    const file = join(root, 'home/trust.json')
    expect((await run(['approve', file, root, 0, 1], unprivileged)).report.refused).toEqual([])
    const check = async () => (await run(['check', file, root, 0, 1], unprivileged)).report
    expect(await check()).toMatchObject({ approved: 1, problems: [] })
    chmodSync(join(root, 'guard.mjs'), 0)
    expect(await check()).toMatchObject({ approved: 0, problems: ['unreadable'] })
  })

  it('is told when the store can not be read or written', async () => {
    const root = own()
    const file = join(root, 'home/trust.json')
    await run(['approve', file, root, 0, 1], unprivileged)
    chmodSync(join(root, 'home'), 0o500)
    expect((await run(['approve', file, root, 1, 2], unprivileged)).report.refused).toEqual([
      expect.stringMatching(/^The trust store can't be written: EACCES\. Nothing was changed\./),
    ])
    chmodSync(file, 0)
    expect((await run(['check', file, root, 0, 1], unprivileged)).report).toEqual({
      approved: 0,
      problems: [],
      codes: ['trust.store.unreadable'],
    })
    chmodSync(join(root, 'home'), 0o700)
  })
})

it('a disk that takes no more leaves the store as it was, and nothing half beside it', async () => {
  const root = project({ 'guard.mjs': 'one' })
  const file = join(root, 'trust.json')
  await run(['approve', file, root, 0, 1])
  const before = readFileSync(file, 'utf8')
  // Left by a process that was killed while it wrote.
  writeFileSync(`${file}.0000.tmp`, before.slice(0, 20))
  // No file of more than 512 bytes: the write ends in the middle.
  const { report } = await run(['approve', file, root, 1, 2], {}, 'ulimit -f 1')
  expect(report.refused).toEqual([
    expect.stringMatching(/^The trust store can't be written: EFBIG\. Nothing was changed\./),
  ])
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(readdirSync(root).sort()).toEqual(['guard.mjs', 'trust.json'])
})
