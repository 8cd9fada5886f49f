import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createReloader } from '../../src/index.js'
import { nodeFiles, type WatchOptions, watchFiles } from '../../src/node/index.js'
import { codes, file, values, verdicts } from '../pipeline/toys.js'
import { toyPipeline } from '../toy-axis.js'

async function folder() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'kernel-watch-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return { root, write, at: (path: string) => join(root, path) }
}

/** Watches and counts. */
async function watching(paths: readonly string[], options: WatchOptions = { debounceMs: 50 }) {
  let changes = 0
  const watcher = await watchFiles(
    paths,
    () => {
      changes++
    },
    options,
  )
  onTestFinished(() => watcher.close())
  const next = async (change: () => Promise<void>) => {
    const before = changes
    await change()
    await expect.poll(() => changes, { timeout: 5000 }).toBeGreaterThan(before)
    await quiet()
  }
  return { ...watcher, next, count: () => changes }
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, 250))

describe('watchFiles', () => {
  it('says that a file has changed, again and again', async () => {
    const { at, write } = await folder()
    await write('a/u.yaml', '1')
    const { next } = await watching([at('a/u.yaml')])
    for (const text of ['2', '3', '4']) await next(() => write('a/u.yaml', text))
  })

  it('understands editors that save by renaming a new file, or by moving the old one away', async () => {
    const { at, write } = await folder()
    await write('a/u.yaml', '1')
    const { next } = await watching([at('a/u.yaml')])
    for (const text of ['2', '3']) {
      await next(async () => {
        await write('a/.u.yaml.tmp', text)
        await rename(at('a/.u.yaml.tmp'), at('a/u.yaml'))
      })
      await next(async () => {
        await rename(at('a/u.yaml'), at('a/u.yaml~'))
        await write('a/u.yaml', text)
      })
    }
    await next(() => write('a/u.yaml', '4'))
  })

  it('sees a file that comes later, goes, and comes again', async () => {
    const { at, write } = await folder()
    const { next } = await watching([at('u.yaml')])
    for (let round = 0; round < 2; round++) {
      await next(() => write('u.yaml', '1'))
      await next(() => write('u.yaml', '2'))
      await next(() => rm(at('u.yaml')))
    }
  })

  it('sees a file whose folders come later, go, and come again', async () => {
    const { at, write } = await folder()
    const { next } = await watching([at('a/b/u.yaml')])
    for (let round = 0; round < 2; round++) {
      await next(() => write('a/b/u.yaml', '1'))
      await next(() => write('a/b/u.yaml', '2'))
      await next(() => rm(at('a'), { recursive: true }))
    }
  })

  it('sees what happens in a folder, also in folders that come later, but for those that hold no configuration', async () => {
    const { at, write } = await folder()
    await write('skills/a/SKILL.md', '1')
    const { next, count } = await watching([at('skills')])
    await next(() => write('skills/a/SKILL.md', '2'))
    await next(() => write('skills/b/c/SKILL.md', '1'))
    await next(() => write('skills/b/c/SKILL.md', '2'))
    await next(() => rm(at('skills/a'), { recursive: true }))
    const before = count()
    await write('skills/b/node_modules/x/index.js', '1')
    await write('skills/.git/index', '1')
    await write('elsewhere/SKILL.md', '1')
    await quiet()
    expect(count()).toBe(before)
  })

  it('follows links to files', async () => {
    const { at, write } = await folder()
    await write('dotfiles/u.yaml', '1')
    await mkdir(at('a'))
    await symlink('../dotfiles/u.yaml', at('a/u.yaml'))
    const { next } = await watching([at('a/u.yaml')])
    await next(() => write('dotfiles/u.yaml', '2'))
    await next(async () => {
      await write('dotfiles/new', '3')
      await rename(at('dotfiles/new'), at('dotfiles/u.yaml'))
    })
    await next(() => write('dotfiles/u.yaml', '4'))
  })

  it('does not mind neighbours, nor the files that it watches being read', async () => {
    const { at, write } = await folder()
    await write('a/u.yaml', '1')
    const { count } = await watching([at('a/u.yaml')])
    await write('a/other.yaml', '1')
    await write('b/u.yaml', '1')
    await nodeFiles().readText(at('a/u.yaml'))
    await quiet()
    expect(count()).toBe(0)
  })

  it('calls once for changes that come close together', async () => {
    const { at, write } = await folder()
    await write('a/u.yaml', '1')
    const { count } = await watching([at('a/u.yaml')], { debounceMs: 300 })
    for (let text = 0; text < 10; text++) {
      await write('a/u.yaml', String(text))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await expect.poll(count, { timeout: 5000 }).toBe(1)
    await quiet()
    expect(count()).toBe(1)
  })

  it('is silent once it is closed, also about what has changed before', async () => {
    const { at, write } = await folder()
    await write('a/u.yaml', '1')
    const { count, close } = await watching([at('a/u.yaml')], { debounceMs: 200 })
    await write('a/u.yaml', '2')
    await new Promise((resolve) => setTimeout(resolve, 100))
    await close()
    await write('a/u.yaml', '3')
    await quiet()
    expect(count()).toBe(0)
  })

  it('has nothing to do without paths', async () => {
    const { count, close } = await watching([])
    await close()
    expect(count()).toBe(0)
  })
})

describe('a watcher that feeds a reloader', () => {
  it('swaps the snapshot after an edit, keeps the last good after a broken one, and takes the repaired one', async () => {
    const { at, write } = await folder()
    const sources = [file('user', at('u.yaml')), file('project', at('p/.ext/config.yaml'))]
    await write('u.yaml', 'toys: {ball: {size: 1}, cube: {size: 2}}')
    const context = () => undefined
    const host = { files: nodeFiles() }
    const reloader = await createReloader({ pipeline: toyPipeline(), sources, context, host })
    const paths = sources.flatMap((source) => (source.kind === 'value' ? [] : [source.path]))
    const watcher = await watchFiles(paths, () => void reloader.reload(), { debounceMs: 50 })
    onTestFinished(() => watcher.close())
    const now = () => Object.fromEntries(values(reloader.store.current))
    const soon = (toys: Readonly<Record<string, string>>) => expect.poll(now, { timeout: 5000 }).toEqual(toys)

    await write('u.yaml', 'toys: {ball: {size: 10}, cube: {size: 2}}')
    await soon({ ball: 'size 10', cube: 'size 2' })

    await write('u.yaml', 'toys: {ball: {size: 10}, cube: {size: ')
    await expect.poll(() => codes(reloader.store.current), { timeout: 5000 }).toContain('config.entry.last-good')
    expect(now()).toEqual({ ball: 'size 10', cube: 'size 2' })
    expect(verdicts(reloader.store.current)).toEqual({ 'user/ball (stale)': 'loaded', 'user/cube (stale)': 'loaded' })

    await write('u.yaml', 'toys: {cube: {size: 3}}')
    await soon({ cube: 'size 3' })
    expect(reloader.store.current.diagnostics).toEqual([])

    await write('p/.ext/config.yaml', 'toys: {kite: {size: 4}}')
    await soon({ cube: 'size 3', kite: 'size 4' })
    await rm(at('p'), { recursive: true })
    await soon({ cube: 'size 3' })
  })

  it('in the background keeps no process alive', async () => {
    const { at, write } = await folder()
    await write('a/u.yaml', '1')
    const entry = new URL('../../dist/node/index.js', import.meta.url).href
    const script = `
      const { watchFiles } = await import(process.argv[1])
      const { writeFileSync } = await import('node:fs')
      await watchFiles([process.argv[2]], () => {}, { background: true })
      writeFileSync(process.argv[2], '2')`
    const args = ['--input-type=module', '-e', script, entry, at('a/u.yaml')]
    await expect(promisify(execFile)(process.execPath, args, { timeout: 10_000 })).resolves.toMatchObject({
      stderr: '',
    })
  })

  it('in the background sees changes as well', async () => {
    const { at, write } = await folder()
    await write('a/u.yaml', '1')
    const { next } = await watching([at('a/u.yaml')], { debounceMs: 50, background: true })
    for (const text of ['2', '3']) await next(() => write('a/u.yaml', text))
  })
})
