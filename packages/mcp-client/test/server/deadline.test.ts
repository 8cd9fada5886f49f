import { fakeClock } from '@ext/kernel/testing'
import { expect, test } from 'vitest'
import { Deadline } from '../../src/server/deadline.js'

const HOUR = 3_600_000

test('the time that a person takes does not count, in no limit', () => {
  const clock = fakeClock()
  const deadline = new Deadline(clock, { idleMs: 100, totalMs: 300 })
  clock.advance(50)
  const resume = deadline.pause()
  clock.advance(10_000)
  expect([deadline.signal.aborted, deadline.leftMs]).toEqual([false, 50])
  resume()
  clock.advance(49)
  expect(deadline.signal.aborted).toBe(false)
  deadline.touch()
  clock.advance(99)
  deadline.touch()
  clock.advance(90)
  deadline.touch()
  clock.advance(11)
  expect(deadline.signal.aborted).toBe(false)
  clock.advance(1)
  expect(deadline.timedOut).toBe('total')
})

test('several pauses at a time are one, however often each is ended', () => {
  const clock = fakeClock()
  const deadline = new Deadline(clock, { idleMs: 100 })
  const first = deadline.pause()
  clock.advance(500)
  const second = deadline.pause()
  first()
  first()
  clock.advance(500)
  expect(deadline.leftMs).toBe(100)
  second()
  clock.advance(99)
  expect(deadline.signal.aborted).toBe(false)
  clock.advance(1)
  expect(deadline.timedOut).toBe('idle')
})

test('pauses end by themselves after an hour in all', () => {
  const clock = fakeClock()
  const deadline = new Deadline(clock, { idleMs: 100 })
  deadline.pause()
  clock.advance(HOUR / 2)
  deadline.touch()
  clock.advance(HOUR / 2 + 99)
  expect(deadline.signal.aborted).toBe(false)
  clock.advance(1)
  expect(deadline.timedOut).toBe('idle')
})

test('a pause that is ended after the deadline was given up starts nothing again', () => {
  const clock = fakeClock()
  const deadline = new Deadline(clock, { idleMs: 100 })
  const resume = deadline.pause()
  deadline.abort()
  deadline.end()
  resume()
  clock.advance(HOUR)
  expect(deadline.timedOut).toBeUndefined()
})
