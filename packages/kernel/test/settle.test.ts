import { describe, expect, it } from 'vitest'
import { settleAll } from '../src/index.js'

const later = (ms = 1) => new Promise((resolve) => setTimeout(resolve, ms))

describe('settleAll', () => {
  it('keeps the order of the items, and one failure fails no other', async () => {
    const results = await settleAll(
      [3, 1, 2],
      async (item, index) => {
        await later(item)
        if (item === 1) throw new Error('one')
        return `${index}:${item}`
      },
      { limit: 3 },
    )
    expect(results).toEqual([
      { status: 'done', value: '0:3' },
      { status: 'failed', error: new Error('one') },
      { status: 'done', value: '2:2' },
    ])
  })

  it('runs no more than the limit at a time, and all of them', async () => {
    let running = 0
    let most = 0
    const results = await settleAll(
      Array.from({ length: 20 }),
      async () => {
        most = Math.max(most, ++running)
        await later()
        running--
      },
      { limit: 4 },
    )
    expect([most, results.length]).toEqual([4, 20])
  })

  it('takes an exception before the first await as a failure too', async () => {
    const fail = () => {
      throw new Error('at once')
    }
    expect(await settleAll([1], fail, { limit: 1 })).toEqual([{ status: 'failed', error: new Error('at once') }])
  })

  it('starts nothing more after an abort, and gives its reason', async () => {
    const controller = new AbortController()
    const started: number[] = []
    const results = await settleAll(
      [1, 2, 3],
      async (item) => {
        started.push(item)
        controller.abort(new Error('enough'))
        return item
      },
      { limit: 1, signal: controller.signal },
    )
    expect(started).toEqual([1])
    expect(results).toEqual([
      { status: 'done', value: 1 },
      { status: 'failed', error: new Error('enough') },
      { status: 'failed', error: new Error('enough') },
    ])
  })

  it('has nothing to do for no items', async () => {
    expect(await settleAll([], async () => 1, { limit: 1 })).toEqual([])
  })
})
