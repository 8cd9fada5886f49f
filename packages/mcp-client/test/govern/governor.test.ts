import { type FakeClock, fakeClock } from '@ext/kernel/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Governor, type Refused, type Turn } from '../../src/govern/governor.js'

const PLENTY = { concurrency: 1000 }
const never = () => new AbortController().signal

/** Enters and reports what came of it, so that a test can look without waiting. */
function enter(governor: Governor, options: { withinMs?: number; signal?: AbortSignal } = {}) {
  const seen: { turn?: Turn; refused?: Refused; error?: unknown } = {}
  void governor.enter({ withinMs: 60_000, signal: never(), ...options }).then(
    (answer) => {
      if (answer.refused) seen.refused = answer
      else seen.turn = answer
    },
    (error) => {
      seen.error = error
    },
  )
  return seen
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

async function advance(clock: FakeClock, ms: number) {
  clock.advance(ms)
  await settled()
}

test('only so many calls run at a time, and the others follow in the order of coming', async () => {
  const governor = new Governor({ concurrency: 2 }, fakeClock())
  const calls = [1, 2, 3, 4].map(() => enter(governor))
  await settled()
  expect(calls.map(({ turn }) => turn !== undefined)).toEqual([true, true, false, false])
  expect([governor.running, governor.waiting]).toEqual([2, 2])
  calls[1]?.turn?.end('good')
  await settled()
  expect(calls.map(({ turn }) => turn !== undefined)).toEqual([true, true, true, false])
})

test('a call that is ended twice gives its place away once', async () => {
  const governor = new Governor({ concurrency: 1 }, fakeClock())
  const [first, second, third] = [enter(governor), enter(governor), enter(governor)]
  await settled()
  first.turn?.end('good')
  first.turn?.end('good')
  await settled()
  expect(second.turn).toBeDefined()
  expect(third.turn).toBeUndefined()
})

test('a burst passes at once, and the rest at the rate', async () => {
  const clock = fakeClock()
  const governor = new Governor({ ...PLENTY, rate: { perSecond: 2, burst: 3 } }, clock)
  const calls = Array.from({ length: 6 }, () => enter(governor))
  const passed = () => calls.filter(({ turn }) => turn).length
  await settled()
  expect(passed()).toBe(3)
  await advance(clock, 499)
  expect(passed()).toBe(3)
  await advance(clock, 1)
  expect(passed()).toBe(4)
  await advance(clock, 1000)
  expect(passed()).toBe(6)
  expect(calls[5]?.turn?.waitedMs).toBe(1500)
  expect(clock.pending).toBe(0)
})

test('a call whose token would come too late is refused at once and told when', async () => {
  const governor = new Governor({ ...PLENTY, rate: { perSecond: 1, burst: 1 } }, fakeClock())
  enter(governor)
  const late = enter(governor, { withinMs: 500 })
  await settled()
  expect(late.refused).toEqual({ refused: 'rate', retryMs: 1000 })
})

test('a call that finds no place within its time is refused', async () => {
  const clock = fakeClock()
  const governor = new Governor({ concurrency: 1 }, clock)
  enter(governor)
  const waiting = enter(governor, { withinMs: 100 })
  await settled()
  await advance(clock, 100)
  expect(waiting.refused).toEqual({ refused: 'concurrency' })
  expect(governor.waiting).toBe(0)
})

test('a call that is aborted while it waits leaves the line with the reason of its signal', async () => {
  const clock = fakeClock()
  const governor = new Governor({ concurrency: 1 }, clock)
  const first = enter(governor)
  const gone = new AbortController()
  const waiting = enter(governor, { signal: gone.signal })
  const behind = enter(governor)
  await settled()
  gone.abort('changed my mind')
  await settled()
  expect(waiting.error).toBe('changed my mind')
  first.turn?.end('good')
  await settled()
  expect(behind.turn).toBeDefined()
  behind.turn?.end('good')
  expect([governor.running, governor.waiting, clock.pending]).toEqual([0, 0, 0])
})

test('after failures in a row calls are refused at once, then one is let through to see', async () => {
  const clock = fakeClock()
  let changes = 0
  const governor = new Governor({ ...PLENTY, breaker: { failures: 2, cooldownMs: 1000 } }, clock, () => changes++)
  for (const health of ['bad', 'good', 'bad', 'bad'] as const) {
    const call = enter(governor)
    await settled()
    call.turn?.end(health)
  }
  expect([governor.isOpen, changes]).toEqual([true, 1])
  const refused = enter(governor)
  await settled()
  expect(refused.refused).toEqual({ refused: 'breaker', retryMs: 1000 })

  await advance(clock, 1000)
  const probe = enter(governor)
  const meanwhile = enter(governor)
  await settled()
  expect(probe.turn).toBeDefined()
  expect(meanwhile.refused?.refused).toBe('breaker')
  probe.turn?.end('bad')
  expect(governor.isOpen).toBe(true)

  await advance(clock, 1000)
  const second = enter(governor)
  await settled()
  second.turn?.end('good')
  expect([governor.isOpen, changes]).toEqual([false, 2])
})

test('a trial call that its caller gives up leaves the trial to the next one', async () => {
  const clock = fakeClock()
  const governor = new Governor({ ...PLENTY, breaker: { failures: 1, cooldownMs: 10 } }, clock)
  const first = enter(governor)
  await settled()
  first.turn?.end('bad')
  await advance(clock, 10)
  const probe = enter(governor)
  await settled()
  probe.turn?.end('unknown')
  const next = enter(governor)
  await settled()
  expect(next.turn).toBeDefined()
})

test('calls that began before the breaker opened say nothing about the trial', async () => {
  const clock = fakeClock()
  const governor = new Governor({ ...PLENTY, breaker: { failures: 1, cooldownMs: 10 } }, clock)
  const [slow, bad] = [enter(governor), enter(governor)]
  await settled()
  bad.turn?.end('bad')
  slow.turn?.end('good')
  expect(governor.isOpen).toBe(true)
})

test('those who wait are refused when the breaker opens before them', async () => {
  const governor = new Governor({ concurrency: 1, breaker: { failures: 1, cooldownMs: 10 } }, fakeClock())
  const [first, second] = [enter(governor), enter(governor)]
  await settled()
  first.turn?.end('bad')
  await settled()
  expect(second.refused?.refused).toBe('breaker')
})

test('new limits hold at once, for those who wait as well', async () => {
  const governor = new Governor({ concurrency: 1, breaker: { failures: 1, cooldownMs: 10 } }, fakeClock())
  const calls = [enter(governor), enter(governor), enter(governor)]
  await settled()
  governor.setLimits({ concurrency: 3 })
  await settled()
  expect(calls.every(({ turn }) => turn)).toBe(true)
  for (const { turn } of calls) turn?.end('bad')
  expect(governor.isOpen).toBe(false)
})

test('whatever comes, no window has more calls than burst and rate allow, and nobody is forgotten', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ after: fc.integer({ min: 0, max: 400 }), runs: fc.integer({ min: 0, max: 900 }) }), {
        minLength: 1,
        maxLength: 30,
      }),
      async (perSecond, burst, concurrency, plan) => {
        const clock = fakeClock()
        const governor = new Governor({ concurrency, rate: { perSecond, burst } }, clock)
        const begun: number[] = []
        let ended = 0
        let most = 0
        for (const { after, runs } of plan) {
          await advance(clock, after)
          void governor.enter({ withinMs: 1e9, signal: never() }).then((answer) => {
            if (answer.refused) return
            begun.push(clock.now())
            most = Math.max(most, governor.running)
            clock.after(runs, () => {
              answer.end('good')
              ended++
            })
          })
          await settled()
        }
        for (let step = 0; step < 2000 && ended < plan.length; step++) await advance(clock, 50)
        expect(ended).toBe(plan.length)
        expect(most).toBeLessThanOrEqual(concurrency)
        for (const [first, start] of begun.entries()) {
          for (let last = first; last < begun.length; last++) {
            const span = (begun[last] ?? 0) - start
            expect(last - first + 1).toBeLessThanOrEqual(burst + (span * perSecond) / 1000 + 1)
          }
        }
        expect([governor.running, governor.waiting, clock.pending]).toEqual([0, 0, 0])
      },
    ),
    { numRuns: 60, seed: 8 },
  )
})
