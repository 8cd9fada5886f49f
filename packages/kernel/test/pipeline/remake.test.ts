import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../../src/testing/index.js'
import { collect } from '../collect.js'
import { toyPipeline } from '../toy-axis.js'
import { codes, file, values, verdicts } from './toys.js'

const sources = [file('user', '/u.yaml')]
const text = 'toys:\n  ball: {size: 1}\n  cube: {size: 2}\n  kite: {size: 3, off: true}\n  rope: {size: 4}\n'
const host = (content: string) => ({ files: memoryFiles({ '/u.yaml': content }) })

/** Small toys can be made again. */
function counted() {
  const made: number[] = []
  const remake = (entry: { readonly value: { readonly size: number } }) => {
    made.push(entry.value.size)
    return `size ${entry.value.size}`
  }
  return { made, pipeline: toyPipeline('override', { remake: (toy) => (toy === 'size 4' ? undefined : remake) }) }
}

describe('a value that can be made again', () => {
  it('is what was compiled for as long as memory lasts, and is made again once it was let go of', async () => {
    const { made, pipeline } = counted()
    const snapshot = await pipeline.load(sources, undefined, host(text))
    const all = [
      ['ball', 'size 1'],
      ['cube', 'size 2'],
      ['rope', 'size 4'],
    ]
    expect([values(snapshot), made]).toEqual([all, []])
    await collect()
    expect([values(snapshot), made]).toEqual([all, [1, 2]])
    expect([values(snapshot), made]).toEqual([all, [1, 2]])
  })

  it('leaves the entry as any other: frozen, with its id, its place and its record', async () => {
    const plain = await toyPipeline().load(sources, undefined, host(text))
    const { pipeline } = counted()
    const snapshot = await pipeline.load(sources, undefined, host(text))
    await collect()
    for (const [index, entry] of plain.entries.entries()) {
      const same = snapshot.entries[index]
      expect([same?.id, same?.name, same?.source]).toEqual([entry.id, entry.name, entry.source])
      expect([same?.at('/size'), same?.at('', 'key')]).toEqual([entry.at('/size'), entry.at('', 'key')])
      expect(Object.isFrozen(same)).toBe(true)
    }
    expect(snapshot.records).toEqual(plain.records)
    expect(snapshot.files).toEqual(plain.files)
  })

  it('stays the last good one when its file breaks afterwards', async () => {
    const { pipeline } = counted()
    const first = await pipeline.load(sources, undefined, host(text))
    await collect()
    const broken = host(text.replace('size: 1', 'size: x').replace('size: 2', 'size: -2'))
    const second = await pipeline.load(sources, undefined, broken, { previous: first })
    expect(values(second)).toEqual(values(first))
    expect(codes(second).filter((code) => code === 'config.entry.last-good')).toHaveLength(2)
    const third = await pipeline.load(sources, undefined, broken, { previous: second })
    expect([values(third), verdicts(third)]).toEqual([values(first), verdicts(second)])
  })
})

describe('a value that need not be made at the load', () => {
  const later = (made: number[]) => (entry: { readonly value: { readonly size: number } }) => {
    const { size } = entry.value
    if (size > 2) throw new Error('Nobody knows.')
    if (size === 2) return undefined
    return () => `made later ${made.push(size)}`
  }

  it('is made when somebody asks for the first time; others are compiled, also where the axis fails to say', async () => {
    const made: number[] = []
    const snapshot = await toyPipeline('override', { later: later(made) }).load(sources, undefined, host(text))
    expect([verdicts(snapshot), made]).toEqual([
      { 'user/ball': 'loaded', 'user/cube': 'loaded', 'user/kite': 'disabled', 'user/rope': 'loaded' },
      [],
    ])
    const all = [
      ['ball', 'made later 1'],
      ['cube', 'size 2'],
      ['rope', 'size 4'],
    ]
    expect(values(snapshot)).toEqual(all)
    expect([values(snapshot), made]).toEqual([all, [1]])
  })

  it('stays the last good one when its file breaks afterwards', async () => {
    const pipeline = toyPipeline('override', { later: later([]) })
    const first = await pipeline.load(sources, undefined, host(text))
    const broken = host(text.replace('size: 1', 'size: x'))
    const second = await pipeline.load(sources, undefined, broken, { previous: first })
    expect(values(second).map(([name]) => name)).toEqual(['ball', 'cube', 'rope'])
    expect(codes(second)).toContain('config.entry.last-good')
  })
})
