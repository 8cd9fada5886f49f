import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeWorkFiles } from '../../src/node/index.js'
import { memoryWorkFiles } from '../../src/testing/index.js'
import type { WorkFilesPort } from '../../src/types.js'

let root = ''
const at = (name: string) => join(root, name)
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ext-work-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (read: { readonly value?: Uint8Array | undefined }) => read.value && new TextDecoder().decode(read.value)

/** Both forms of the port, with the same files. */
const FORMS: readonly (readonly [name: string, open: (files: Readonly<Record<string, string>>) => WorkFilesPort])[] = [
  [
    'on this machine',
    (files) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(join(at(name), '..'), { recursive: true })
        writeFileSync(at(name), content)
      }
      return nodeWorkFiles()
    },
  ],
  [
    'in memory',
    (files) => memoryWorkFiles(Object.fromEntries(Object.entries(files).map(([name, content]) => [at(name), content]))),
  ],
]

describe.each(FORMS)('files %s', (_form, open) => {
  it('are told apart from folders and from nothing', async () => {
    const files = open({ 'a/b.txt': 'abc' })
    expect(await files.stat(at('a/b.txt'))).toMatchObject({ kind: 'file', size: 3 })
    expect(await files.stat(at('a'))).toMatchObject({ kind: 'folder' })
    expect(await files.stat(at('x'))).toBeUndefined()
    expect(await files.realPath(at('a/b.txt'))).toBe(at('a/b.txt'))
    expect(await files.realPath(at('x'))).toBeUndefined()
  })

  it('are listed in the order of their names', async () => {
    const files = open({ 'b.txt': '', 'a/x': '', B: '', 'a.txt': '' })
    expect(await files.list(root)).toEqual([
      { name: 'B', kind: 'file' },
      { name: 'a', kind: 'folder' },
      { name: 'a.txt', kind: 'file' },
      { name: 'b.txt', kind: 'file' },
    ])
    expect(await files.list(at('b.txt'))).toBeUndefined()
    expect(await files.list(at('nothing'))).toBeUndefined()
  })

  it('are read in parts', async () => {
    const files = open({ f: 'abcdef' })
    const part = (from: number, length: number) => files.read(at('f'), (file) => file.read(from, length))
    expect(text(await part(0, 3))).toBe('abc')
    expect(text(await part(4, 10))).toBe('ef')
    expect(text(await part(10, 3))).toBe('')
    expect(await files.read(at('f'), async ({ stat }) => stat)).toEqual({ value: await files.stat(at('f')) })
  })

  it('say why they can not be read, and let a throw through', async () => {
    const files = open({ 'a/f': '' })
    expect(await files.read(at('x'), async () => 1)).toMatchObject({ failure: 'missing' })
    expect(await files.read(at('a'), async () => 1)).toMatchObject({ failure: 'not-a-file' })
    const thrown = files.read(at('a/f'), async () => {
      throw new Error('mine')
    })
    await expect(thrown).rejects.toThrow('mine')
  })

  it('are replaced if they are what was expected, and told from before then', async () => {
    const files = open({ f: 'old' })
    const before = await files.stat(at('f'))
    const replaced = await files.replace(at('f'), bytes('new'), { expected: before?.version ?? '' })
    expect(replaced).toEqual({ outcome: 'replaced', stat: await files.stat(at('f')) })
    expect(text(await files.read(at('f'), (file) => file.read(0, 10)))).toBe('new')
    const again = await files.replace(at('f'), bytes('late'), { expected: before?.version ?? '' })
    expect(again).toMatchObject({ outcome: 'changed' })
    expect(text(await files.read(at('f'), (file) => file.read(0, 10)))).toBe('new')
  })

  it('come into being with their folders, but never in the place of others', async () => {
    const files = open({ f: 'old' })
    expect(await files.replace(at('a/b/c'), bytes('x'), { expected: 'absent' })).toMatchObject({ outcome: 'replaced' })
    expect(await files.replace(at('f'), bytes('x'), { expected: 'absent' })).toMatchObject({ outcome: 'changed' })
    expect(await files.replace(at('a'), bytes('x'), { expected: 'absent' })).toMatchObject({ outcome: 'changed' })
    const both = await Promise.all(
      ['1', '2'].map((each) => files.replace(at('g'), bytes(each), { expected: 'absent' })),
    )
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['changed', 'replaced'])
  })
})

describe('files of this machine', () => {
  const files = nodeWorkFiles()

  it('are no links, which are told as what they are and not followed', async () => {
    writeFileSync(at('f'), 'abc')
    symlinkSync('f', at('link'))
    symlinkSync('gone', at('broken'))
    execFileSync('mkfifo', [at('pipe')])
    expect(await files.list(root)).toEqual([
      { name: 'broken', kind: 'link' },
      { name: 'f', kind: 'file' },
      { name: 'link', kind: 'link' },
      { name: 'pipe', kind: 'other' },
    ])
    expect(await files.stat(at('link'))).toMatchObject({ kind: 'link' })
    expect(await files.realPath(at('link'))).toBe(at('f'))
    const { version = '' } = (await files.stat(at('link'))) ?? {}
    for (const name of ['link', 'broken', 'pipe']) {
      expect(await files.read(at(name), async () => 1)).toMatchObject({ failure: 'not-a-file' })
      expect(await files.replace(at(name), bytes('x'), { expected: version })).toMatchObject({ outcome: 'changed' })
      expect(await files.replace(at(name), bytes('x'), { expected: 'absent' })).toMatchObject({ outcome: 'changed' })
    }
    expect(readFileSync(at('f'), 'utf8')).toBe('abc')
  })

  it('are read in parts whatever their size', async () => {
    writeFileSync(at('hole'), '')
    truncateSync(at('hole'), 2 ** 31 + 3)
    expect(await files.stat(at('hole'))).toMatchObject({ size: 2 ** 31 + 3 })
    const { value } = await files.read(at('hole'), (file) => file.read(2 ** 31, 10))
    expect([...(value ?? [])]).toEqual([0, 0, 0])
  })

  it.each<[what: string, change: (file: string) => void]>([
    ['written', (file) => writeFileSync(file, 'abc')],
    ['made longer', (file) => writeFileSync(file, 'abcd')],
    ['touched', (file) => utimesSync(file, 5, 5)],
    ['given another mode', (file) => chmodSync(file, 0o600)],
    [
      'replaced',
      (file) => {
        rmSync(file)
        writeFileSync(`${file}2`, 'other')
        writeFileSync(file, 'abc')
      },
    ],
  ])('have another version once they are %s', async (_what, change) => {
    writeFileSync(at('f'), 'abc')
    utimesSync(at('f'), 1, 1)
    // The clock of a file system moves in steps.
    await new Promise((resolve) => setTimeout(resolve, 20))
    const before = await files.stat(at('f'))
    change(at('f'))
    expect((await files.stat(at('f')))?.version).not.toBe(before?.version)
  })

  it('keep their mode when they are replaced, leave hard links with what they had, and nothing lying about', async () => {
    writeFileSync(at('f'), 'old')
    chmodSync(at('f'), 0o754)
    linkSync(at('f'), at('other'))
    const { version = '' } = (await files.stat(at('f'))) ?? {}
    expect(await files.replace(at('f'), bytes('new'), { expected: version })).toMatchObject({ outcome: 'replaced' })
    expect(lstatSync(at('f')).mode & 0o7777).toBe(0o754)
    expect([readFileSync(at('f'), 'utf8'), readFileSync(at('other'), 'utf8')]).toEqual(['new', 'old'])
    expect(readdirSync(root)).toEqual(['f', 'other'])
  })

  it('have the mode that the umask leaves when they are new', async () => {
    await files.replace(at('new'), bytes('x'), { expected: 'absent' })
    writeFileSync(at('like'), '')
    expect(statSync(at('new')).mode).toBe(statSync(at('like')).mode)
    expect(statSync(at('new')).nlink).toBe(1)
  })

  it('stay as they are when nobody may write them, even for root', async () => {
    writeFileSync(at('f'), 'old')
    chmodSync(at('f'), 0o444)
    const { version = '' } = (await files.stat(at('f'))) ?? {}
    expect(await files.replace(at('f'), bytes('new'), { expected: version })).toEqual({
      outcome: 'read-only',
      message: 'The file is read-only.',
    })
    expect(readFileSync(at('f'), 'utf8')).toBe('old')
  })

  it('say why they can not be written', async () => {
    writeFileSync(at('f'), 'x')
    expect(await files.replace(at('f/g'), bytes('x'), { expected: 'absent' })).toMatchObject({ outcome: 'failed' })
    expect(await files.replace(at('x'.repeat(300)), bytes('x'), { expected: 'absent' })).toMatchObject({
      outcome: 'failed',
      message: "The file can't be written: ENAMETOOLONG.",
    })
    expect(readdirSync(root)).toEqual(['f'])
  })

  it('are never seen half written', async () => {
    writeFileSync(at('f'), 'a'.repeat(1_000_000))
    const seen = new Set<string>()
    let done = false
    const watching = (async () => {
      while (!done) {
        const { value } = await files.read(at('f'), async (file) => file.read(0, file.stat.size))
        const all = text({ value }) ?? ''
        seen.add(`${all.length}${all[0]}${all.at(-1)}`)
      }
    })()
    for (const letter of ['b', 'a', 'b', 'a']) {
      const { version = '' } = (await files.stat(at('f'))) ?? {}
      await files.replace(at('f'), bytes(letter.repeat(1_000_000)), { expected: version })
    }
    done = true
    await watching
    for (const each of seen) expect(['1000000aa', '1000000bb']).toContain(each)
  })
})
