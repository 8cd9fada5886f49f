import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../src/testing/index.js'

describe('a fake clock', () => {
  it('stands still until it is moved, then calls what falls due in order of time', () => {
    const clock = fakeClock(1000)
    const called: [string, number][] = []
    const note = (name: string) => () => called.push([name, clock.now()])
    clock.after(30, note('c'))
    clock.after(10, note('a'))
    clock.after(10, note('b'))
    const cancel = clock.after(20, note('cancelled'))
    cancel()
    expect([clock.now(), clock.pending, called]).toEqual([1000, 3, []])
    clock.advance(29)
    expect(called).toEqual([
      ['a', 1010],
      ['b', 1010],
    ])
    clock.advance(1)
    expect([clock.now(), clock.pending, called.at(-1)]).toEqual([1030, 0, ['c', 1030]])
  })

  it('calls what a call has set, if that falls due too', () => {
    const clock = fakeClock()
    const called: number[] = []
    const again = () => {
      called.push(clock.now())
      if (called.length < 3) clock.after(10, again)
    }
    clock.after(10, again)
    clock.advance(25)
    expect([called, clock.pending]).toEqual([[10, 20], 1])
  })
})
