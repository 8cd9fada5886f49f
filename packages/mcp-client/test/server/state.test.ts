import fc from 'fast-check'
import { expect, test } from 'vitest'
import { birth, isComing, isUp, type Life, type LifeEvent, mayTryOnDemand, transition } from '../../src/server/state.js'

const RECONNECT = { attempts: 3, minMs: 100, maxMs: 1000 }
const FALL = { cause: 'fell', hint: 'Get up.', final: false, needsAuth: false, lasted: false, chance: 1 }
const down = (more: Partial<typeof FALL> = {}) => ({ type: 'down', ...FALL, ...more }) as const

function live(events: readonly LifeEvent[], from: Life = birth(0, false)): Life {
  return events.reduce((life, event, index) => transition(life, event, index + 1, RECONNECT), from)
}

test('a server that fails is tried again after waits that double, and is given up after so many attempts in a row', () => {
  const waits: (number | undefined)[] = []
  let life = birth(0, false)
  for (let attempt = 1; attempt <= 3; attempt++) {
    life = live([{ type: 'attempt' }, down()], life)
    waits.push(life.retryAt === undefined ? undefined : life.retryAt - life.since)
  }
  expect(waits).toEqual([100, 200, undefined])
  expect(life).toMatchObject({ state: 'failed', attempts: 3, cause: 'fell', hint: 'Get up.', givenUp: true })
})

test('a server that had worked is tried again at once, and its attempts are counted anew', () => {
  const life = live([{ type: 'attempt' }, down(), { type: 'attempt' }, { type: 'up' }, down({ lasted: true })])
  expect(life).toMatchObject({ state: 'failed', attempts: 0, retryAt: life.since, givenUp: false })
})

test('a server that is lost right after each start is given up too', () => {
  const crash = [{ type: 'attempt' }, { type: 'up' }, down()] as const
  expect(live([...crash, ...crash, ...crash])).toMatchObject({ state: 'failed', givenUp: true })
  expect(live([...crash, ...crash])).toMatchObject({ state: 'failed', givenUp: false })
})

test.each([
  ['another attempt can not help', down({ final: true }), 'failed'],
  ['it wants credentials', down({ needsAuth: true }), 'needs_auth'],
])('nobody tries again by himself when %s', (_when, event, state) => {
  const life = live([{ type: 'attempt' }, event])
  expect(life).toMatchObject({ state, givenUp: true })
  expect(life.retryAt).toBeUndefined()
  expect(isComing(life)).toBe(false)
})

test('one that is given up may be tried when somebody asks, but not before it has rested, and not for want of credentials', () => {
  const failed = live([{ type: 'attempt' }, down({ final: true })])
  const at = (ms: number) => mayTryOnDemand(failed, failed.since + ms, RECONNECT)
  expect([at(0), at(999), at(1000)]).toEqual([false, false, true])
  expect(mayTryOnDemand(failed, 1e9, { ...RECONNECT, attempts: 0 })).toBe(false)
  expect(mayTryOnDemand(live([{ type: 'attempt' }, down({ needsAuth: true })]), 1e9, RECONNECT)).toBe(false)
  // While it is tried on demand it still counts as given up, so that its tools do not come and go.
  expect(live([{ type: 'attempt' }], failed)).toMatchObject({ state: 'connecting', givenUp: true, cause: 'fell' })
  expect(live([{ type: 'attempt' }, { type: 'up' }], failed)).toMatchObject({ state: 'ready', givenUp: false })
})

test('only a server that is up can be troubled, and it can get well', () => {
  const troubled = { type: 'troubled', cause: 'is mute', hint: 'Wait.' } as const
  expect(live([{ type: 'attempt' }, troubled])).toMatchObject({ state: 'connecting' })
  const degraded = live([{ type: 'attempt' }, { type: 'up' }, troubled])
  expect(degraded).toMatchObject({ state: 'degraded', cause: 'is mute', hint: 'Wait.' })
  expect(isUp(degraded)).toBe(true)
  const well = live([{ type: 'well' }], degraded)
  expect(well).toMatchObject({ state: 'ready' })
  expect(well.cause).toBeUndefined()
})

const anyEvent: fc.Arbitrary<LifeEvent> = fc.oneof(
  fc.constantFrom<LifeEvent>({ type: 'attempt' }, { type: 'up' }, { type: 'well' }, { type: 'close' }),
  fc.constant<LifeEvent>({ type: 'troubled', cause: 'a', hint: 'b' }),
  fc
    .record({
      final: fc.boolean(),
      needsAuth: fc.boolean(),
      lasted: fc.boolean(),
      chance: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map((more) => down(more)),
)

test('whatever happens: closed is for good, a wait is bounded, and whoever is not up says why once it has failed', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      let life = birth(0, false)
      let hasFailed = false
      for (const [index, event] of events.entries()) {
        const next = transition(life, event, index, RECONNECT)
        if (life.state === 'closed') expect(next).toBe(life)
        if (next.retryAt !== undefined) {
          expect(next.state).toBe('failed')
          expect(next.retryAt - index).toBeLessThanOrEqual(RECONNECT.maxMs)
          expect(next.attempts).toBeLessThan(RECONNECT.attempts)
        }
        hasFailed = isUp(next) ? false : hasFailed || event.type === 'down'
        if (hasFailed && next.state !== 'closed') expect(next.cause).toBeDefined()
        if (next.state === 'needs_auth') expect(isComing(next)).toBe(false)
        life = next
      }
    }),
    { seed: 7 },
  )
})
