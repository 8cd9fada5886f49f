import { chmod, mkdtemp, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { nodeEditFiles } from '../../src/node/index.js'

describe('editing a file', () => {
  const files = nodeEditFiles()
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ext-edit-'))
  })

  it('makes file and folders for their owner alone, and leaves nothing else behind', async () => {
    const path = join(folder, 'a/b/config.yaml')
    expect(await files.edit(path, async (text) => `${text}!`)).toEqual({ written: true })
    expect(await readFile(path, 'utf8')).toBe('undefined!')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'a/b'))).toEqual(['config.yaml'])
  })

  it('keeps the mode of a file, and a link a link', async () => {
    const [real, link] = [join(folder, 'real.yaml'), join(folder, 'link.yaml')]
    await writeFile(real, 'a')
    await chmod(real, 0o640)
    await symlink(real, link)
    expect(await files.edit(link, async (text) => `${text}b`)).toEqual({ written: true })
    expect(await readFile(real, 'utf8')).toBe('ab')
    expect((await stat(real)).mode & 0o777).toBe(0o640)
    expect(await readlink(link)).toBe(real)
  })

  it('loses no change of many at once', async () => {
    const path = join(folder, 'count')
    await writeFile(path, '')
    await Promise.all(Array.from({ length: 8 }, () => files.edit(path, async (text) => `${text}x`)))
    expect(await readFile(path, 'utf8')).toBe('xxxxxxxx')
  })

  it('writes nothing when there is nothing to change', async () => {
    const path = join(folder, 'same')
    await writeFile(path, 'a')
    expect(await files.edit(path, async () => undefined)).toEqual({ written: false })
    expect(await files.edit(path, async (text) => text)).toEqual({ written: false })
  })

  it('says why a file could not be written, and leaves it as it was', async () => {
    expect((await files.edit(folder, async () => 'x')).failure).toMatch(/folder|directory/)
    const path = join(folder, 'kept')
    await writeFile(path, 'a')
    const thrown = await files.edit(path, async () => {
      throw new Error('no idea')
    })
    expect(thrown).toEqual({ written: false, failure: 'no idea' })
    expect(await readFile(path, 'utf8')).toBe('a')
    expect(await readdir(folder)).toEqual(['kept'])
  })
})
