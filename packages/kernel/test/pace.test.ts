import { afterEach, describe, expect, it, vi } from 'vitest'
import { createPace, inTurns } from '../src/index.js'

afterEach(() => vi.restoreAllMocks())

/** Work of steps that each take some milliseconds, without anybody waiting for it. */
async function work(steps: readonly number[]) {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  const pace = createPace()
  const slices: number[] = []
  let start = 0
  for (const ms of steps) {
    if (pace.isDue()) {
      slices.push(now - start)
      await pace.turn()
      start = now
    }
    now += ms
  }
  return { slices, looks: clock.mock.calls.length }
}

describe('the pace of long work', () => {
  it('gives others a turn every few milliseconds, and looks at the clock less often than there are steps', async () => {
    const { slices, looks } = await work(Array(10_000).fill(0.01))
    expect(Math.max(...slices)).toBeLessThan(2.5)
    expect(slices.length).toBeGreaterThan(40)
    expect(looks).toBeLessThan(2000)
  })

  it('looks before each step if they take their time', async () => {
    expect((await work(Array(50).fill(1))).slices.every((ms) => ms === 2)).toBe(true)
    expect((await work(Array(50).fill(7))).slices.every((ms) => ms === 7)).toBe(true)
  })

  it('notices within a few steps when they become slow', async () => {
    const { slices } = await work([...Array(150).fill(0.01), ...Array(100).fill(1)])
    expect(slices[0]).toBeLessThan(11)
    expect(Math.max(...slices.slice(1))).toBeLessThan(3.5)
  })

  it('never cuts short work', async () => {
    expect((await work([1, 1])).slices).toEqual([])
  })
})

describe('many items, a slice at a time', () => {
  it('takes them one after the other, also where a step has to wait', async () => {
    const seen: string[] = []
    await inTurns(['a', 'b', 'c'], createPace(), (item, index) => {
      if (item !== 'b') {
        seen.push(`${item}${index}`)
        return undefined
      }
      return new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => {
        seen.push(`${item}${index}, late`)
      })
    })
    expect(seen).toEqual(['a0', 'b1, late', 'c2'])
  })

  it('gives others a turn between steps that take their time', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    let turns = 0
    let ended = false
    const others = () => {
      turns++
      if (!ended) setImmediate(others)
    }
    setImmediate(others)
    await inTurns(Array(20).fill(1.5), createPace(), (ms: number) => {
      now += ms
    })
    ended = true
    // Two steps to a slice.
    expect(turns).toBeGreaterThanOrEqual(8)
  })

  it('ends with what a step throws, and with what it waits for in vain', async () => {
    const fails = async (step: () => Promise<unknown> | undefined) => inTurns([1, 2], createPace(), step)
    await expect(
      fails(() => {
        throw new Error('now')
      }),
    ).rejects.toThrow('now')
    await expect(fails(() => Promise.reject(new Error('later')))).rejects.toThrow('later')
  })
})
