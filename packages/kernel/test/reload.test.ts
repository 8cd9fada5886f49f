import { describe, expect, it } from 'vitest'
import { type ConfigSource, createReloader, type FilesPort } from '../src/index.js'
import { memoryFiles } from '../src/testing/index.js'
import { file, value, values } from './pipeline/toys.js'
import { toyPipeline } from './toy-axis.js'

/** A file whose reads wait until they are let through, and a reloader of it. */
async function gated() {
  const content: Record<string, string> = { '/u.yaml': 'toys: {ball: {size: 1}}' }
  const gates: (() => void)[] = []
  let open = true
  const files: FilesPort = {
    ...memoryFiles({}),
    async readText(path) {
      if (!open) await new Promise<void>((resolve) => gates.push(resolve))
      return memoryFiles(content).readText(path)
    },
  }
  const sources: readonly ConfigSource[] = [file('user', '/u.yaml')]
  const reloader = await createReloader({ pipeline: toyPipeline(), sources, context: () => undefined, host: { files } })
  open = false
  const edit = (text: string) => {
    content['/u.yaml'] = text
  }
  const passNext = async () => {
    await expect.poll(() => gates.length).toBeGreaterThan(0)
    gates.shift()?.()
  }
  const settled = () => new Promise((resolve) => setTimeout(resolve, 10))
  return { reloader, edit, passNext, gates, settled, current: () => values(reloader.store.current) }
}

describe('a reloader', () => {
  it('starts with what it has loaded, and swaps the whole snapshot when the new one is complete', async () => {
    const { reloader, edit, passNext, current } = await gated()
    const seen: unknown[] = []
    reloader.store.subscribe((next) => seen.push(values(next)))
    expect(current()).toEqual([['ball', 'size 1']])
    edit('toys: {ball: {size: 2}, cube: {size: 3}}')
    const done = reloader.reload()
    expect(current()).toEqual([['ball', 'size 1']])
    await passNext()
    await done
    expect(seen).toEqual([
      [
        ['ball', 'size 2'],
        ['cube', 'size 3'],
      ],
    ])
    expect(current()).toEqual(seen[0])
  })

  it('leaves a turn that holds its snapshot with that one to its end', async () => {
    const { reloader, edit, passNext } = await gated()
    const turn = reloader.store.current
    edit('toys: {ball: {size: 2}}')
    const done = reloader.reload()
    await passNext()
    await done
    expect([values(turn), values(reloader.store.current)]).toEqual([[['ball', 'size 1']], [['ball', 'size 2']]])
  })

  it('keeps the last good version of what is broken, and does not reject', async () => {
    const { reloader, edit, passNext, current } = await gated()
    edit('toys: {')
    const done = reloader.reload()
    await passNext()
    await done
    expect(current()).toEqual([['ball', 'size 1']])
    expect(reloader.store.current.diagnostics.map(({ code }) => code)).toEqual([
      'config.syntax.yaml',
      'config.entry.last-good',
    ])
  })

  it('loads one after the other, and what was asked for last is what stays', async () => {
    const { reloader, edit, passNext, gates, settled, current } = await gated()
    const first = reloader.reload()
    const second = reloader.reload([value('user', { cube: { size: 5 } })])
    const third = reloader.reload([file('user', '/u.yaml')])
    await expect.poll(() => gates.length).toBe(1)
    await settled()
    expect(gates).toHaveLength(1)
    edit('toys: {ball: {size: 2}}')
    await passNext()
    await first
    await second
    expect(current()).toEqual([['cube', 'size 5']])
    edit('toys: {ball: {size: 3}}')
    await passNext()
    await third
    expect(current()).toEqual([['ball', 'size 3']])
  })

  it('loads once for all calls that come while one waits to begin', async () => {
    const { reloader, edit, passNext, gates, current } = await gated()
    const running = reloader.reload()
    await expect.poll(() => gates.length).toBe(1)
    const waiting = [reloader.reload(), reloader.reload(), reloader.reload()]
    await passNext()
    await running
    edit('toys: {ball: {size: 9}}')
    await passNext()
    await Promise.all(waiting)
    expect([gates.length, current()]).toEqual([0, [['ball', 'size 9']]])
  })

  it('goes on with the sources it was given last, unless they were a fault of the program', async () => {
    const { reloader, passNext, current } = await gated()
    await reloader.reload([value('user', { cube: { size: 5 } })])
    await reloader.reload()
    expect(current()).toEqual([['cube', 'size 5']])
    const wrong = reloader.reload([{ ...file('user', '/u.yaml'), dialect: 'toml' }])
    await expect(wrong).rejects.toThrow('No reader for the dialect `toml`')
    await reloader.reload()
    expect(current()).toEqual([['cube', 'size 5']])
    const back = reloader.reload([file('user', '/u.yaml')])
    await passNext()
    await back
    expect(current()).toEqual([['ball', 'size 1']])
  })

  it('asks for the context before each load', async () => {
    let size = 1
    const reloader = await createReloader({
      pipeline: toyPipeline('override', { compile: () => ({ value: `context ${size}`, diagnostics: [] }) }),
      sources: [value('user', { ball: { size: 0 } })],
      context: () => {
        size++
        return undefined
      },
      host: { files: memoryFiles({}) },
    })
    await reloader.reload()
    expect(values(reloader.store.current)).toEqual([['ball', 'context 3']])
  })

  it('swaps nothing any more once it is closed', async () => {
    const { reloader, edit, passNext, current } = await gated()
    edit('toys: {}')
    const done = reloader.reload()
    await expect.poll(() => reloader.store.current.entries.length).toBe(1)
    reloader.close()
    await passNext()
    await done
    await reloader.reload()
    expect(current()).toEqual([['ball', 'size 1']])
  })
})
