import { describe, expect, it } from 'vitest'
import { type FileFault, faultyFiles, memoryFiles } from '../../src/testing/index.js'

describe('a file system in memory', () => {
  const files = memoryFiles({
    '/a/b.txt': 'text',
    '/a/c/d.txt': '\uFEFFdeep',
    '/a/bad.txt': { failure: 'unreadable' },
    '/top.txt': 'ä'.repeat(10),
  })

  it('reads like the real one', async () => {
    expect(await files.readText('/a/b.txt')).toEqual({ text: 'text' })
    expect(await files.readText('/a/c/d.txt')).toEqual({ text: 'deep' })
    expect(await files.readText('/a/c')).toMatchObject({ failure: 'not-a-file' })
    expect(await files.readText('/a/x')).toMatchObject({ failure: 'missing' })
    expect(await files.readText('/a/bad.txt')).toMatchObject({ failure: 'unreadable' })
    expect(await files.readText('/top.txt', { maxBytes: 19 })).toMatchObject({ failure: 'too-large' })
    expect(await files.readText('/top.txt', { maxBytes: 20 })).toEqual({ text: 'ä'.repeat(10) })
    expect(await memoryFiles({ '/large': 'x'.repeat(1024 * 1024 + 1) }).readText('/large')).toMatchObject({
      failure: 'too-large',
    })
  })

  it('has folders where files are', async () => {
    expect(await files.list('/a')).toEqual([
      { name: 'b.txt', kind: 'file' },
      { name: 'bad.txt', kind: 'file' },
      { name: 'c', kind: 'folder' },
    ])
    expect((await files.list('/'))?.map((item) => item.name)).toEqual(['a', 'top.txt'])
    expect(await files.list('/a/b.txt')).toBeUndefined()
    expect(await files.list('/x')).toBeUndefined()
    expect(await files.realPath('/a')).toBe('/a')
    expect(await files.realPath('/a/b.txt')).toBe('/a/b.txt')
    expect(await files.realPath('/x')).toBeUndefined()
    expect([await files.isExecutable('/a/b.txt'), await files.isExecutable('/a')]).toEqual([true, false])
  })
})

describe('a file system with faults', () => {
  const inner = memoryFiles({ '/a/b.txt': 'text', '/a/c/d.txt': 'deep', '/top.txt': 'top' })

  it.each([
    ['EACCES', 'unreadable'],
    ['EIO', 'unreadable'],
    ['ELOOP', 'unreadable'],
    ['EMFILE', 'unreadable'],
    ['ENOENT', 'missing'],
    ['EISDIR', 'not-a-file'],
  ] as const)('answers %s as the real one does', async (fault, failure) => {
    const files = faultyFiles(inner, { '/a/b.txt': fault })
    expect(await files.readText('/a/b.txt')).toMatchObject({ failure })
    expect(await files.isExecutable('/a/b.txt')).toBe(false)
    expect(await files.readText('/top.txt')).toEqual({ text: 'top' })
  })

  it('can not reach what lies below a folder that fails, until it is repaired', async () => {
    const faults: Record<string, FileFault> = { '/a': 'EACCES' }
    const files = faultyFiles(inner, faults)
    expect([await files.list('/a'), await files.list('/a/c')]).toEqual([undefined, undefined])
    expect([await files.realPath('/a'), await files.realPath('/a/c')]).toEqual(['/a', undefined])
    expect(await files.readText('/a/c/d.txt')).toMatchObject({ failure: 'unreadable' })
    expect(await files.list('/')).toHaveLength(2)
    delete faults['/a']
    expect(await files.readText('/a/c/d.txt')).toEqual({ text: 'deep' })
    expect([await files.isExecutable('/a/b.txt'), (await files.list('/a'))?.length]).toEqual([true, 2])
  })
})
