import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LayerName, Snapshot } from '../../src/index.js'
import { nodeFiles } from '../../src/node/index.js'
import { type FileFault, faultyFiles, memoryFiles } from '../../src/testing/index.js'
import { toyPipeline } from '../toy-axis.js'
import { nodeForEverybody, unprivileged } from '../unprivileged.js'
import { codes, file, value, values } from './toys.js'

async function folder() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'kernel-files-')))
  onTestFinished(() => rm(root, { recursive: true }))
  return root
}

const GOOD = 'toys: {ball: {size: 1}}'
const MIB = 1024 * 1024

/** Each makes a file that can't be used. */
const FAULTS: Readonly<Record<string, readonly [code: string, make: (path: string) => Promise<unknown>]>> = {
  'a folder in its place': ['config.file.not-a-file', (path) => mkdir(path)],
  'a link to itself': ['config.file.unreadable', (path) => symlink(path, path)],
  'links in a circle': [
    'config.file.unreadable',
    async (path) => {
      await symlink(path, `${path}.other`)
      await symlink(`${path}.other`, path)
    },
  ],
  'a link that leads nowhere': ['config.file.dangling-link', (path) => symlink('nowhere', path)],
  'a device': ['config.file.not-a-file', (path) => symlink('/dev/null', path)],
  'five MiB': ['config.file.too-large', (path) => writeFile(path, `#${'x'.repeat(5 * MIB)}\n${GOOD}`)],
  'one byte more than one MiB': ['config.file.too-large', (path) => writeFile(path, GOOD.padEnd(MIB + 1))],
  'bytes that are not UTF-8': ['config.file.not-utf8', (path) => writeFile(path, Buffer.from([0x61, 0xff, 0xfe]))],
  'UTF-16': ['config.file.not-utf8', (path) => writeFile(path, Buffer.from(`\uFEFF${GOOD}`, 'utf16le'))],
  'a list where a map belongs': ['config.shape', (path) => writeFile(path, '- toys')],
  'half a file': ['config.syntax.yaml', (path) => writeFile(path, GOOD.slice(0, -2))],
}

/** A managed file that is broken closes everything; any other costs itself only. */
function expectCost(snapshot: Snapshot<unknown>, layer: LayerName, code: string): void {
  expect(codes(snapshot)).toContain(code)
  const managed = layer === 'managed'
  expect(snapshot.managedBroken).toBe(managed)
  expect(values(snapshot).map(([name]) => name)).toEqual(managed ? ['small'] : ['small', 'tower'])
}
const others = value('user', { small: { size: 1 }, tower: { size: 1000 } })

describe.each(['user', 'managed'] as const)('a real file of the %s layer', (layer) => {
  it.each(Object.keys(FAULTS))('that is %s is reported, and costs what it has to', async (fault) => {
    const path = join(await folder(), 'toys.yaml')
    const [code, make] = FAULTS[fault] ?? ['', async () => {}]
    await make(path)
    const snapshot = await toyPipeline().load([others, file(layer, path)], undefined, { files: nodeFiles() })
    expectCost(snapshot, layer, code)
    expect(snapshot.files).toMatchObject(code === 'config.shape' ? [{ state: 'read' }] : [{ state: 'failed' }])
  })

  it.each(['EACCES', 'EIO', 'ELOOP', 'EMFILE', 'EISDIR'] as const)(
    'on a disk that answers %s is reported, and read when the disk is well again',
    async (fault) => {
      const faults: Record<string, FileFault> = { '/etc/toys.yaml': fault }
      const files = faultyFiles(memoryFiles({ '/etc/toys.yaml': GOOD }), faults)
      const pipeline = toyPipeline()
      const sources = [others, file(layer, '/etc/toys.yaml')]
      const previous = await pipeline.load(sources, undefined, { files })
      expectCost(previous, layer, fault === 'EISDIR' ? 'config.file.not-a-file' : 'config.file.unreadable')
      delete faults['/etc/toys.yaml']
      const snapshot = await pipeline.load(sources, undefined, { files }, { previous })
      expect([values(snapshot).length, snapshot.diagnostics]).toEqual([3, []])
    },
  )

  it('that is not there, empty, null or exactly one MiB is no fault', async () => {
    const root = await folder()
    const load = (name: string) =>
      toyPipeline().load([file(layer, join(root, name))], undefined, { files: nodeFiles() })
    const texts = { empty: '', blank: '\n\n', null: 'null', bom: '\uFEFF', large: GOOD.padEnd(MIB) }
    for (const [name, text] of Object.entries(texts)) await writeFile(join(root, name), text)
    for (const name of ['missing', ...Object.keys(texts)]) {
      const snapshot = await load(name)
      expect([snapshot.diagnostics, snapshot.managedBroken], name).toEqual([[], false])
      expect(snapshot.files, name).toMatchObject([{ state: name === 'missing' ? 'missing' : 'read' }])
    }
    expect(values(await load('large'))).toEqual([['ball', 'size 1']])
  })
})

it.skipIf(process.platform === 'win32')(
  'a user without the right to read a file, or the folder that it is in, gets a diagnostic',
  async () => {
    const root = await folder()
    await chmod(root, 0o755)
    await writeFile(join(root, 'secret.yaml'), GOOD, { mode: 0o000 })
    await writeFile(join(root, 'open.yaml'), GOOD, { mode: 0o644 })
    await mkdir(join(root, 'closed'))
    await writeFile(join(root, 'closed/toys.yaml'), GOOD)
    await chmod(join(root, 'closed'), 0o000)
    onTestFinished(() => chmod(join(root, 'closed'), 0o700))

    const script = join(root, 'load.mjs')
    const here = fileURLToPath(new URL('.', import.meta.url))
    const contents = `
      import { nodeFiles } from '../../src/node/files.ts'
      import { toyPipeline } from '../toy-axis.ts'
      import { file } from './toys.ts'
      const sources = ['secret.yaml', 'closed/toys.yaml', 'open.yaml'].map((name) => file('user', '${root}/' + name))
      const { diagnostics, entries } = await toyPipeline().load(sources, undefined, { files: nodeFiles() })
      process.stdout.write(JSON.stringify({ uid: process.getuid(), diagnostics, entries: entries.length }))`
    const stdin = { contents, resolveDir: here, loader: 'ts' } as const
    // yaml is CommonJS for Node and requires its built-in modules.
    const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire('/')" }
    await build({ stdin, banner, bundle: true, platform: 'node', format: 'esm', outfile: script, logLevel: 'error' })
    await chmod(script, 0o644)
    const child = spawn(await nodeForEverybody(), [script], {
      ...unprivileged,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const out = (await child.stdout.setEncoding('utf8').toArray()).join('')
    const { uid, diagnostics, entries } = JSON.parse(out)
    expect(uid).not.toBe(0)
    expect(entries).toBe(1)
    expect(diagnostics).toMatchObject(
      ['closed/toys.yaml', 'secret.yaml'].map((name) => ({
        code: 'config.file.unreadable',
        severity: 'error',
        message: expect.stringContaining('EACCES'),
        source: { file: join(root, name) },
      })),
    )
  },
)
