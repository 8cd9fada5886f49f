import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FilesPort, type TrackedFiles, trackFiles, trackStamps } from '../../src/index.js'
import { nodeClock, nodeEditFiles, nodeFiles, nodeStamps } from '../../src/node/index.js'
import { memoryFiles } from '../../src/testing/index.js'

async function folder(files: Readonly<Record<string, string>> = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'kernel-track-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const at = (path: string) => join(root, path)
  const write = async (path: string, text: string) => {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), text)
  }
  for (const [path, text] of Object.entries(files)) await write(path, text)
  return { root, at, write }
}

async function tracking(paths: readonly string[]): Promise<TrackedFiles> {
  const tracked = trackFiles(nodeFiles(), paths, { clock: nodeClock(), quietMs: 10, patienceMs: 100 })
  await Promise.all(paths.map((path) => tracked.files.readText(path)))
  return tracked
}

const kinds = async (tracked: Pick<TrackedFiles, 'changes'>) =>
  (await tracked.changes()).map(({ path, change }) => `${path.split('/').at(-1)} ${change}`)

describe('trackFiles', () => {
  it('gives what was read first until what stands there now is taken over', async () => {
    const { at, write } = await folder({ 'a.yaml': '1' })
    const tracked = await tracking([at('a.yaml')])
    expect(await tracked.changes()).toEqual([])
    await write('a.yaml', '2')
    expect(await tracked.files.readText(at('a.yaml'))).toEqual({ text: '1' })
    const [change] = await tracked.changes()
    expect(change).toMatchObject({ path: at('a.yaml'), change: 'change' })
    expect(await tracked.files.readText(at('a.yaml'))).toEqual({ text: '1' })
    if (change) tracked.take(change)
    expect(await tracked.files.readText(at('a.yaml'))).toEqual({ text: '2' })
    expect(await tracked.changes()).toEqual([])
  })

  it('takes over what was looked at, and nothing that came after it', async () => {
    const { at, write } = await folder({ 'a.yaml': '1' })
    const tracked = await tracking([at('a.yaml')])
    await write('a.yaml', '2')
    const [change] = await tracked.changes()
    await write('a.yaml', '3')
    if (change) tracked.take(change)
    expect(await tracked.files.readText(at('a.yaml'))).toEqual({ text: '2' })
    expect(await kinds(tracked)).toEqual(['a.yaml change'])
  })

  it('sees files that come and go, what is renamed over them, and what links lead to', async () => {
    const { at, write } = await folder({ 'a.yaml': '1', 'target.yaml': '1' })
    await symlink('target.yaml', at('link.yaml'))
    const tracked = await tracking(['a.yaml', 'none.yaml', 'link.yaml'].map(at))
    await write('.a.tmp', '2')
    await rename(at('.a.tmp'), at('a.yaml'))
    await write('none.yaml', '1')
    await write('target.yaml', '2')
    const changes = await tracked.changes()
    expect(changes.map(({ path, change }) => [path, change])).toEqual([
      [at('a.yaml'), 'change'],
      [at('none.yaml'), 'add'],
      [at('link.yaml'), 'change'],
    ])
    for (const change of changes) tracked.take(change)
    await rm(at('a.yaml'))
    expect(await kinds(tracked)).toEqual(['a.yaml unlink'])
  })

  it.skipIf(process.getuid?.() === 0)('sees that a file can not be read any more', async () => {
    const { at } = await folder({ 'a.yaml': '1' })
    const tracked = await tracking([at('a.yaml')])
    await chmod(at('a.yaml'), 0)
    expect(await kinds(tracked)).toEqual(['a.yaml change'])
  })

  it('sees that something else stands where the file was', async () => {
    const { at } = await folder({ 'a.yaml': '1' })
    const tracked = await tracking([at('a.yaml')])
    await rm(at('a.yaml'))
    await mkdir(at('a.yaml'))
    const [change] = await tracked.changes()
    expect(change?.change).toBe('change')
    if (change) expect(tracked.text(change)).toMatchObject({ failure: 'not-a-file' })
  })

  it('calls nothing a change that ends as it was, or has only another date', async () => {
    const { at, write } = await folder({ 'a.yaml': '1' })
    const tracked = await tracking([at('a.yaml')])
    await write('a.yaml', '2')
    await write('a.yaml', '1')
    expect(await tracked.changes()).toEqual([])
  })

  it('waits for a file to come to rest, and leaves one that does not for another look', async () => {
    let reads = 0
    let restless = true
    const files: FilesPort = {
      ...memoryFiles({}),
      async readText(path) {
        if (path === '/b') return { text: reads === 0 ? '0' : '1' }
        return { text: String(restless ? reads++ : reads) }
      },
    }
    const tracked = trackFiles(files, ['/a', '/b'], { clock: nodeClock(), quietMs: 5, patienceMs: 50 })
    await tracked.files.readText('/b')
    await tracked.files.readText('/a')
    expect(await kinds(tracked)).toEqual(['b change'])
    restless = false
    expect(await kinds(tracked)).toEqual(['a change', 'b change'])
  })

  it('does not believe at once that a file is empty: whoever writes it empties it first', async () => {
    const texts = ['old', '', '', 'new', 'new', 'new']
    const files: FilesPort = { ...memoryFiles({}), readText: async () => ({ text: texts.shift() ?? 'new' }) }
    const tracked = trackFiles(files, ['/a'], { clock: nodeClock(), quietMs: 5 })
    await tracked.files.readText('/a')
    const [change] = await tracked.changes()
    expect(change && tracked.text(change)).toEqual({ text: 'new' })
  })

  it('after a thousand quick writes the last one counts, once', async () => {
    const { at, write } = await folder({ 'a.yaml': '0' })
    const tracked = await tracking([at('a.yaml')])
    for (let n = 1; n <= 1000; n++) await write('a.yaml', `${n}`)
    const [change] = await tracked.changes()
    if (change) tracked.take(change)
    expect(await tracked.files.readText(at('a.yaml'))).toEqual({ text: '1000' })
    expect(await tracked.changes()).toEqual([])
  })

  it('takes edits of its own over as they are written, unless something else was there that nobody took over', async () => {
    const { at, write } = await folder({ 'a.yaml': '1' })
    const tracked = await tracking([at('a.yaml'), at('new.yaml')])
    const { edit } = tracked.editing(nodeEditFiles())
    await edit(at('a.yaml'), async (text) => `${text}+own`)
    await edit(at('new.yaml'), async () => 'own')
    expect(await tracked.changes()).toEqual([])
    expect(await tracked.files.readText(at('a.yaml'))).toEqual({ text: '1+own' })
    expect(await tracked.files.readText(at('new.yaml'))).toEqual({ text: 'own' })
    await write('a.yaml', 'foreign')
    await edit(at('a.yaml'), async (text) => `${text}+own`)
    expect(await tracked.files.readText(at('a.yaml'))).toEqual({ text: '1+own' })
    expect(await kinds(tracked)).toEqual(['a.yaml change'])
  })

  it('reads other files as they are', async () => {
    const { at, write } = await folder({ 'a.yaml': '1', 'b.yaml': '1' })
    const tracked = await tracking([at('a.yaml')])
    await tracked.files.readText(at('b.yaml'))
    await write('b.yaml', '2')
    expect(await tracked.files.readText(at('b.yaml'))).toEqual({ text: '2' })
  })
})

describe('trackStamps', () => {
  it('sees files that are written, come and go, through links as well, and items of folders', async () => {
    const { at, write } = await folder({ 'a.md': '1', 'f/x.md': '1', 'target.md': '1' })
    await symlink('target.md', at('link.md'))
    const paths = ['a.md', 'f', 'none.md', 'link.md'].map(at)
    const tracked = await trackStamps(nodeStamps(), () => paths)
    expect(await tracked.changes()).toEqual([])
    await write('a.md', '2')
    await write('f/y.md', '1')
    await write('none.md', '1')
    await write('target.md', '2')
    const changes = await tracked.changes()
    expect(changes.map(({ path, change }) => `${path.split('/').at(-1)} ${change}`)).toEqual([
      'a.md change',
      'f change',
      'none.md add',
      'link.md change',
    ])
    for (const change of changes) tracked.take(change)
    expect(await tracked.changes()).toEqual([])
    await rm(at('a.md'))
    expect(await kinds(tracked)).toEqual(['a.md unlink'])
  })

  it('begins with what a path is when it is asked for the first time', async () => {
    const { at, write } = await folder({ 'a.md': '1' })
    const paths: string[] = []
    const tracked = await trackStamps(nodeStamps(), () => paths)
    await write('a.md', '2')
    paths.push(at('a.md'))
    expect(await tracked.changes()).toEqual([])
    await write('a.md', '3')
    expect(await kinds(tracked)).toEqual(['a.md change'])
  })
})
