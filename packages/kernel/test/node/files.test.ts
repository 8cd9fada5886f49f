import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeFiles, nodePorts } from '../../src/node/index.js'

const files = nodeFiles()
const linux = process.platform === 'linux'
let root = ''
let server: Server

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'ext-files-')))
  await writeFile(join(root, 'plain.txt'), 'Käse\r\n')
  await writeFile(join(root, 'bom.txt'), '\uFEFFtext')
  await writeFile(join(root, 'latin1.txt'), Buffer.from('K\xe4se', 'latin1'))
  await writeFile(join(root, 'utf16.txt'), Buffer.from('\uFEFFtext', 'utf16le'))
  await writeFile(join(root, 'empty.txt'), '')
  await writeFile(join(root, 'exact.txt'), 'x'.repeat(100))
  await writeFile(join(root, 'large.txt'), 'x'.repeat(1024 * 1024 + 1))
  await writeFile(join(root, 'secret.txt'), 'x')
  await chmod(join(root, 'secret.txt'), 0)
  await mkdir(join(root, 'folder'))
  await symlink('plain.txt', join(root, 'link.txt'))
  await symlink('folder', join(root, 'link-folder'))
  await symlink('nowhere', join(root, 'dangling'))
  await symlink('loop-b', join(root, 'loop-a'))
  await symlink('loop-a', join(root, 'loop-b'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  server = createServer().listen(join(root, 'socket'))
  await new Promise((resolve) => server.once('listening', resolve))
})

afterAll(async () => {
  server.close()
  await rm(root, { recursive: true, force: true })
})

describe('reading a text', () => {
  it.each([
    ['plain.txt', 'Käse\r\n'],
    ['empty.txt', ''],
    ['bom.txt', 'text'],
    ['link.txt', 'Käse\r\n'],
  ])('of %s gives what is in it, without a byte order mark', async (name, text) => {
    expect(await files.readText(join(root, name))).toEqual({ text })
  })

  it.each([
    ['nothing', 'missing'],
    ['plain.txt/below', 'missing'],
    ['dangling', 'missing'],
    ['folder', 'not-a-file'],
    ['link-folder', 'not-a-file'],
    ['large.txt', 'too-large'],
    ['latin1.txt', 'not-utf8'],
    ['utf16.txt', 'not-utf8'],
    ['loop-a', 'unreadable'],
    ['socket', 'unreadable'],
    ['nul\0byte', 'unreadable'],
    ['x'.repeat(5000), 'unreadable'],
  ])('of %.20s fails as a value: %s', async (name, failure) => {
    expect(await files.readText(join(root, name))).toEqual({
      failure,
      message: expect.stringMatching(/^(The|A) .+\.$/),
    })
  })

  it('does not wait for somebody to write into a pipe', { timeout: 2000 }, async () => {
    expect(await files.readText(join(root, 'pipe'))).toMatchObject({ failure: 'not-a-file' })
  })

  it.skipIf(!linux)('does not read a device', async () => {
    expect(await files.readText('/dev/zero')).toMatchObject({ failure: 'not-a-file' })
  })

  it.skipIf(!linux)('stops at the limit where a file does not say its size', async () => {
    const env = await files.readText('/proc/self/status')
    expect(env.text).toContain('Pid:')
    expect(await files.readText('/proc/self/status', { maxBytes: 100 })).toMatchObject({ failure: 'too-large' })
  })

  it.skipIf(!linux)('reports what the disk refuses', async () => {
    expect(await files.readText('/proc/self/mem')).toEqual({
      failure: 'unreadable',
      message: expect.stringMatching(/E[A-Z]+/),
    })
  })

  // Permissions don't hold root back; the faults of /proc above take the same path.
  it.skipIf(process.getuid?.() === 0)('reports what permissions refuse', async () => {
    expect(await files.readText(join(root, 'secret.txt'))).toMatchObject({ failure: 'unreadable' })
  })

  it('takes a limit that is the size of the file', async () => {
    const path = join(root, 'exact.txt')
    expect(await files.readText(path, { maxBytes: 100 })).toMatchObject({ text: expect.any(String) })
    expect(await files.readText(path, { maxBytes: 99 })).toMatchObject({
      failure: 'too-large',
      message: 'The file has 100 bytes; the limit is 99.',
    })
  })
})

describe('listing a folder', () => {
  it('gives what its items are behind their links, in byte order', async () => {
    const folder = await mkdtemp(join(root, 'list-'))
    for (const name of ['b', 'B', 'ä', 'a', '10', '9', '\u{1F600}', '\uFF5E']) await writeFile(join(folder, name), '')
    const names = (await files.list(folder))?.map((item) => item.name)
    expect(names).toEqual(['10', '9', 'B', 'a', 'b', 'ä', '\uFF5E', '\u{1F600}'])

    const kinds = Object.fromEntries((await files.list(root))?.map((item) => [item.name, item.kind]) ?? [])
    expect(kinds).toMatchObject({
      'plain.txt': 'file',
      'link.txt': 'file',
      folder: 'folder',
      'link-folder': 'folder',
      dangling: 'other',
      'loop-a': 'other',
      pipe: 'other',
      socket: 'other',
    })
  })

  it('gives nothing for what is no folder', async () => {
    expect(await files.list(join(root, 'nowhere'))).toBeUndefined()
    expect(await files.list(join(root, 'plain.txt'))).toBeUndefined()
    expect(await files.list(join(root, 'nul\0byte'))).toBeUndefined()
  })
})

describe('the real path', () => {
  it('is that behind all links, or nothing', async () => {
    expect(await files.realPath(join(root, 'link-folder', '..', 'link.txt'))).toBe(join(root, 'plain.txt'))
    expect(await files.realPath(join(root, 'dangling'))).toBeUndefined()
    expect(await files.realPath(join(root, 'loop-a'))).toBeUndefined()
  })
})

describe('isExecutable', () => {
  it('is true of files with the permission only', async () => {
    await writeFile(join(root, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
    expect(await files.isExecutable(join(root, 'run.sh'))).toBe(true)
    expect(await files.isExecutable(join(root, 'plain.txt'))).toBe(false)
    expect(await files.isExecutable(join(root, 'folder'))).toBe(false)
    expect(await files.isExecutable(join(root, 'nowhere'))).toBe(false)
  })
})

describe('nodePorts', () => {
  it('takes the home folder from the environment that it is given', () => {
    const ports = nodePorts({ HOME: '/home/other' })
    expect([ports.home, ports.platform, ports.env]).toEqual(['/home/other', process.platform, { HOME: '/home/other' }])
    // An empty or relative HOME would make the person's home of whatever folder this runs in.
    for (const HOME of [undefined, '', '.', 'some/where']) expect(nodePorts({ HOME }).home).toMatch(/^\//)
    expect(nodePorts().env).toBe(process.env)
  })

  it('has a clock that calls back, also after a wait longer than any timer, and can be stopped', async () => {
    const { clock } = nodePorts()
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000)
    const called: string[] = []
    clock.after(1, () => called.push('soon'))
    const stop = clock.after(5, () => called.push('stopped'))
    const stopFar = clock.after(2 ** 40, () => called.push('far'))
    stop()
    await new Promise((resolve) => setTimeout(resolve, 50))
    stopFar()
    expect(called).toEqual(['soon'])
  })
})
