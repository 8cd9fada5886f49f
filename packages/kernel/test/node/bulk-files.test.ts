import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { headerEnd } from '../../src/frontmatter/index.js'
import { compareText, lookAtFolders, lookAtHeads } from '../../src/index.js'
import { nodeFiles } from '../../src/node/index.js'
import type { FilesPort, FolderLook, HeadLook } from '../../src/types.js'

const bulk = nodeFiles()
const { bulk: _, ...oneByOne } = bulk
const ports: readonly (readonly [string, FilesPort])[] = [
  ['in bulk', bulk],
  ['one by one', oneByOne],
]
let root = ''
const path = (name: string) => join(root, name)

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'ext-bulk-')))
  await writeFile(path('plain.md'), '---\nname: Käse\n---\nbody')
  await writeFile(path('bom.md'), '\uFEFF---\nname: a\n---\nbody')
  await writeFile(path('no-fence.md'), 'text\nmore')
  await writeFile(path('at-end.md'), '---\na: b\n---')
  await writeFile(path('unclosed.md'), `---\n${'a: b\n'.repeat(5000)}`)
  await writeFile(path('long.md'), `---\n${`a: ${'é'.repeat(50)}\n`.repeat(500)}---\n${'x'.repeat(100_000)}`)
  await writeFile(path('latin1.md'), Buffer.from('---\nname: K\xe4se\n---\n', 'latin1'))
  await writeFile(path('late-latin1.md'), Buffer.from('---\nname: a\n---\nK\xe4se', 'latin1'))
  await writeFile(path('large.md'), `---\na: b\n---\n${'x'.repeat(1024 * 1024)}`)
  await writeFile(path('empty.md'), '')
  await writeFile(path('secret.md'), 'x')
  await chmod(path('secret.md'), 0)
  await mkdir(path('folder'))
  await writeFile(path('folder/b'), '')
  await writeFile(path('folder/a'), '')
  await mkdir(path('links'))
  await symlink('../folder', path('links/to-folder'))
  await symlink('../plain.md', path('links/to-file'))
  await symlink('nowhere', path('links/dangling'))
  await symlink('circle', path('links/circle'))
  execFileSync('mkfifo', [path('links/pipe')])
})

afterAll(() => rm(root, { recursive: true, force: true }))

async function heads(files: FilesPort, ...names: readonly string[]): Promise<readonly HeadLook[]> {
  return lookAtHeads(
    files,
    names.map((name) => path(name)),
    { end: headerEnd },
  )
}

describe.each(ports)('A look at beginnings, %s', (_how, files) => {
  it.each([
    ['plain.md', '---\nname: Käse\n---\n'],
    ['bom.md', '---\nname: a\n---\n'],
    ['no-fence.md', 'text\n'],
    ['at-end.md', '---\na: b\n---'],
    ['unclosed.md', `---\n${'a: b\n'.repeat(5000)}`],
    ['long.md', `---\n${`a: ${'é'.repeat(50)}\n`.repeat(500)}---\n`],
    ['empty.md', ''],
    ['links/to-file', '---\nname: Käse\n---\n'],
  ])('reads %s as far as is wanted', async (name, text) => {
    expect(await heads(files, name)).toMatchObject([{ state: 'read', text }])
  })

  it.each([
    ['nothing', 'missing'],
    ['plain.md/below', 'missing'],
    ['links/dangling', 'missing'],
    ['folder', 'not-a-file'],
    ['links/pipe', 'not-a-file'],
    ['latin1.md', 'not-utf8'],
    ['large.md', 'too-large'],
    ['links/circle', 'unreadable'],
  ])('says why %s has none: %s', async (name, failure) => {
    expect(await heads(files, name)).toEqual([{ state: 'failed', failure, message: expect.any(String) }])
  })

  it.skipIf(process.getuid?.() === 0)('says that a file may not be read', async () => {
    expect(await heads(files, 'secret.md')).toMatchObject([{ failure: 'unreadable' }])
  })

  it('answers in the order of the questions', async () => {
    const looks = await heads(files, 'nothing', 'plain.md', 'folder', 'bom.md')
    expect(looks.map(({ state }) => state)).toEqual(['failed', 'read', 'failed', 'read'])
  })
})

describe('A look at beginnings in bulk', () => {
  it('does not care what stands behind them', async () => {
    expect(await heads(bulk, 'late-latin1.md')).toMatchObject([{ state: 'read', text: '---\nname: a\n---\n' }])
  })

  it('knows a file again by its stamp, until it is written', async () => {
    const file = path('known.md')
    await writeFile(file, '---\nname: a\n---\n')
    // The time of a change can be set, that of the inode can not: what was just written has no stamp.
    await utimes(file, new Date(0), new Date(0))
    expect(await heads(bulk, 'known.md')).toMatchObject([{ state: 'read', stamp: undefined }])
    await settled()
    const stamp = stampOf((await heads(bulk, 'known.md'))[0])
    expect(await bulk.bulk?.areSame([{ path: file, stamp }])).toBe(true)
    // Of the same length, and with its old time.
    await writeFile(file, '---\nname: b\n---\n')
    await utimes(file, new Date(0), new Date(0))
    expect(await bulk.bulk?.areSame([{ path: file, stamp }])).toBe(false)
  })

  it('leaves the event loop its turns', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await lookAtHeads(bulk, Array(3000).fill(path('plain.md')), { end: headerEnd })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(1)
  })
})

describe('A look at folders', () => {
  it('gives what they hold, what links lead to, and which can not be listed', async () => {
    const looks = inOrder(await lookAtFolders(bulk, [path('folder'), path('nothing'), path('links'), path('plain.md')]))
    expect(looks).toMatchObject([
      {
        items: [
          { name: 'a', kind: 'file', link: false },
          { name: 'b', kind: 'file', link: false },
        ],
      },
      { state: 'failed' },
      {
        items: [
          { name: 'circle', kind: 'other', link: true },
          { name: 'dangling', kind: 'other', link: true },
          { name: 'pipe', kind: 'other', link: false },
          { name: 'to-file', kind: 'file', link: true },
          { name: 'to-folder', kind: 'folder', link: true },
        ],
        stamp: undefined,
      },
      { state: 'failed' },
    ])
  })

  it('reads the names of thousands in one turn, and looks at them in another', async () => {
    const names = Array.from({ length: 1500 }, (_, index) => `f${String(index).padStart(4, '0')}`)
    await mkdir(path('thousands'))
    await Promise.all(names.toReversed().map((name) => writeFile(path(`thousands/${name}`), '')))
    let turned = false
    setImmediate(() => {
      turned = true
    })
    const [look] = inOrder(await lookAtFolders(bulk, [path('thousands')]))
    expect(turned).toBe(true)
    expect(look?.state === 'listed' && look.items.map(({ name }) => name)).toEqual(names)
  })

  it('one by one takes every item for what may be a link', async () => {
    const [look] = await lookAtFolders(oneByOne, [path('folder')])
    expect(look).toMatchObject({ state: 'listed', stamp: undefined, items: [{ name: 'a', link: true }, { name: 'b' }] })
  })

  it.each([
    ['a stamp of what it is', () => false],
    ['the time of the look', () => true],
  ])('knows a folder again by %s, until something in it is renamed', async (how, byTime) => {
    const folder = path(how)
    await mkdir(folder)
    await writeFile(join(folder, 'a'), '')
    await settled()
    const stamp = stampOf((await lookAtFolders(bulk, [folder], { byTime }))[0])
    expect(await bulk.bulk?.areSame([{ path: folder, stamp }])).toBe(true)
    await rename(join(folder, 'a'), join(folder, 'A'))
    expect(await bulk.bulk?.areSame([{ path: folder, stamp }])).toBe(false)
  })

  it('can not tell by the time whether a folder is the same that was changed just before', async () => {
    const folder = path('fresh')
    await mkdir(folder)
    const stamp = stampOf((await lookAtFolders(bulk, [folder], { byTime: () => true }))[0])
    await settled()
    expect(await bulk.bulk?.areSame([{ path: folder, stamp }])).toBe(false)
  })

  it('asks of each folder by what it holds whether the time will do', async () => {
    await settled()
    const asked: (readonly string[])[] = []
    const byTime = (items: readonly { readonly name: string }[]) => asked.push(items.map(({ name }) => name)) > 1
    const looks = await lookAtFolders(bulk, [path('folder'), path('nothing'), path('links'), path('folder')], {
      byTime,
    })
    expect(asked.map((each) => each.toSorted())).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    const stamps = [stampOf(looks[0]), stampOf(looks[3])]
    expect(stamps.map(Math.sign)).toEqual([1, -1])
    expect(await bulk.bulk?.areSame(stamps.map((stamp) => ({ path: path('folder'), stamp })))).toBe(true)
  })
})

describe('A look whether many are the same', () => {
  it('says no to one that is gone, and to a pipe', async () => {
    await settled()
    const stamp = stampOf((await heads(bulk, 'plain.md'))[0])
    const same = { path: path('plain.md'), stamp }
    expect(await bulk.bulk?.areSame([])).toBe(true)
    expect(await bulk.bulk?.areSame(Array(3000).fill(same))).toBe(true)
    expect(await bulk.bulk?.areSame([same, { path: path('nothing'), stamp }])).toBe(false)
    expect(await bulk.bulk?.areSame([{ path: path('links/pipe'), stamp }, same])).toBe(false)
  })
})

/** Times of files are believed once they are two seconds old. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2100))
}

function stampOf(look: FolderLook | HeadLook | undefined): number {
  const stamp = look && 'stamp' in look ? look.stamp : undefined
  if (stamp === undefined) throw new Error('There is no stamp.')
  return stamp
}

/** A disk lists in any order. */
function inOrder(looks: readonly FolderLook[]): readonly FolderLook[] {
  return looks.map((look) =>
    look.state === 'listed' ? { ...look, items: look.items.toSorted((a, b) => compareText(a.name, b.name)) } : look,
  )
}
