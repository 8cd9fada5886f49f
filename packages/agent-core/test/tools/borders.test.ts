import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith, line, workspace } from './tool-kit.js'

describe('files outside the workspace', () => {
  it.each([
    ['Read', (path: string) => ({ file_path: path })],
    ['Write', (path: string) => ({ file_path: path, content: 'x' })],
    ['Edit', (path: string) => ({ file_path: path, old_string: 'secret', new_string: 'x' })],
    ['Grep', (path: string) => ({ path, pattern: 'secret' })],
  ])('are refused by %s, whatever way leads to them', async (tool, input) => {
    const outside = folderWith({ 'f.txt': 'secret\n' })
    const { fails, folder } = workspace({ 'a/b.txt': '' })
    symlinkSync(join(outside, 'f.txt'), join(folder, 'link.txt'))
    symlinkSync(outside, join(folder, 'a/out'))
    const ways = [
      join(outside, 'f.txt'),
      'link.txt',
      'a/out/f.txt',
      `../${outside.split('/').at(-1)}/f.txt`,
      `/proc/self/root${outside}/f.txt`,
    ]
    for (const path of ways) expect(await fails(tool, input(path))).toMatch(/outside the folders|leads through a link/)
    expect(await fails(tool, input('link.txt'))).toContain(`really is \`${join(outside, 'f.txt')}\``)
    expect(readFileSync(join(outside, 'f.txt'), 'utf8')).toBe('secret\n')
  })

  it('are no folders that can be listed or searched', async () => {
    const outside = folderWith({ 'f.txt': 'secret\n' })
    const { fails, ok, folder } = workspace({ 'in.txt': 'secret\n' })
    symlinkSync(outside, join(folder, 'out'))
    for (const input of [
      { pattern: '*', path: outside },
      { pattern: `${outside}/*` },
      { pattern: 'out/*' },
      { pattern: '../*' },
    ]) {
      expect(await fails('Glob', input)).toContain('outside the folders')
    }
    expect(await fails('Grep', { pattern: 'secret', path: 'out' })).toContain('outside the folders')
    expect(await ok('Grep', { pattern: 'secret' })).toBe('in.txt')
    expect(await ok('Glob', { pattern: '**' })).toBe('in.txt')
  })

  it('do not come into being behind a link (CVE-2026-27523, CVE-2026-39861)', async () => {
    const outside = folderWith()
    const { fails, folder } = workspace({ 'src/a.ts': '' })
    symlinkSync(outside, join(folder, 'src/out'))
    symlinkSync(join(outside, 'new.txt'), join(folder, 'dangling'))
    for (const file_path of ['src/out/new.txt', 'src/out/deep/new.txt', 'dangling']) {
      await fails('Write', { file_path, content: 'x' })
    }
    expect(existsSync(join(outside, 'new.txt')) || existsSync(join(outside, 'deep'))).toBe(false)
  })

  it('are not in a folder whose name only begins like that of the workspace (CVE-2025-54794)', async () => {
    const { fails, folder } = workspace()
    expect(await fails('Read', { file_path: `${folder}-secret/x` })).toContain('outside the folders')
  })

  it('have one meaning: a way through a link and back is refused', async () => {
    const { fails, ok, folder } = workspace({ 'f.txt': 'here\n', 'deep/a/x.txt': '', 'deep/f.txt': 'there\n' })
    symlinkSync('deep/a', join(folder, 'link'))
    expect(await fails('Read', { file_path: 'link/../f.txt' })).toContain('Write the path without `..`')
    expect(await ok('Read', { file_path: 'deep/a/../f.txt' })).toBe(line(1, 'there'))
  })

  it('are open where the host says so', async () => {
    const outside = folderWith({ 'f.txt': 'x\n' })
    const roots = { roots: () => [outside] }
    const { ok } = workspace({}, roots)
    expect(await ok('Read', { file_path: join(outside, 'f.txt') })).toBe(line(1, 'x'))
    expect(await ok('Glob', { pattern: '*', path: outside })).toBe(join(outside, 'f.txt'))
    expect(await ok('Write', { file_path: join(outside, 'new/g.txt'), content: 'y\n' })).toContain(
      'a new file of 1 line',
    )
    const anywhere = workspace({}, { roots: () => ['/'] })
    expect(await anywhere.ok('Read', { file_path: join(outside, 'f.txt') })).toBe(line(1, 'x'))
  })

  it('are not those of a workspace that is itself reached through a link', async () => {
    const real = folderWith({ 'f.txt': 'x\n' })
    const links = folderWith()
    mkdirSync(join(links, 'in'))
    symlinkSync(real, join(links, 'in/work'))
    const { call } = workspace()
    const session = { id: 's', cwd: join(links, 'in/work'), origin: 'main', permissionMode: 'default' } as const
    expect((await call('Read', { file_path: 'f.txt' }, { session })).text).toBe(line(1, 'x'))
    expect((await call('Glob', { pattern: '*' }, { session })).text).toBe('f.txt')
  })
})
