import { describe, expect, it } from 'vitest'
import { createSnapshotStore, type Snapshot } from '../src/index.js'

const snapshot = (axis: string): Snapshot<string> => ({
  axis,
  entries: [],
  records: [],
  files: [],
  diagnostics: [],
  managedBroken: false,
})

describe('a snapshot store', () => {
  it('holds the current snapshot, swaps it, and then tells its listeners', () => {
    const [first, second] = [snapshot('1'), snapshot('2')]
    const store = createSnapshotStore(first)
    const seen: unknown[] = []
    store.subscribe((next) => seen.push([next, store.current]))
    expect(store.current).toBe(first)
    store.replace(second)
    expect(store.current).toBe(second)
    expect(seen).toEqual([[second, second]])
  })

  it('tells nobody who has left, not even if he left during the same swap', () => {
    const store = createSnapshotStore(snapshot('1'))
    const seen: string[] = []
    store.subscribe(() => leave())
    const leave = store.subscribe((next) => seen.push(next.axis))
    store.replace(snapshot('2'))
    expect(seen).toEqual([])
  })

  it('tells every listener even if one throws, and then throws that', () => {
    const store = createSnapshotStore(snapshot('1'))
    const seen: string[] = []
    store.subscribe(() => {
      throw new Error('boom')
    })
    store.subscribe((next) => seen.push(next.axis))
    expect(() => store.replace(snapshot('2'))).toThrow('boom')
    expect([seen, store.current.axis]).toEqual([['2'], '2'])
  })

  it('leaves every listener with the newest snapshot when one of them swaps again', () => {
    const store = createSnapshotStore(snapshot('1'))
    const seen: string[] = []
    store.subscribe((next) => {
      if (next.axis === '2') store.replace(snapshot('3'))
    })
    store.subscribe((next) => seen.push(next.axis))
    store.replace(snapshot('2'))
    expect(seen.at(-1)).toBe('3')
  })
})
