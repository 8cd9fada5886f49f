import type { JsonValue } from '@ext/kernel/contract'
import { type FakeClock, fakeClock } from '@ext/kernel/testing'
import type { Durable } from '../src/types.js'

/** A process that is gone does nothing any more, and nobody hears of it. */
export const gone = (): Promise<never> => new Promise(() => {})

/** Where a process is killed. `effect`: what the step did is done, but nobody has noted it. */
export interface Kill {
  /** Its name, or how many steps of this process stand before it. */
  readonly step: string | number
  readonly moment: 'before' | 'effect' | 'after'
}

/** A process that plays the run, until it is dead. */
export interface Process extends Durable {
  readonly dead: Promise<void>
}

/** How long an answer takes to come. */
export const ANSWER_MS = 500

/** Remembers steps as JSON by name, as an engine does. Each `open` is another process that plays the same run. */
export function journal(answers: Readonly<Record<string, JsonValue>> = {}) {
  const done = new Map<string, string>()
  const order: string[] = []
  let ids = 0
  const open = (kill?: Kill, clock: Pick<FakeClock, 'now' | 'advance'> = fakeClock(1_000_000)): Process => {
    let fresh = 0
    let times = 0
    let die = () => {}
    let isDead = false
    const dead = new Promise<void>((resolve) => {
      die = () => {
        isDead = true
        resolve()
      }
    })
    const remember = async <T>(name: string, fn: () => Promise<T>): Promise<T> => {
      if (isDead) return gone()
      const known = done.get(name)
      if (known !== undefined) return JSON.parse(known) as T
      const step = fresh++
      const reached = (moment: Kill['moment']) => {
        if ((kill?.step === step || kill?.step === name) && kill.moment === moment) die()
        return isDead
      }
      if (reached('before')) return gone()
      const value = await fn()
      if (reached('effect')) return gone()
      const json = JSON.stringify(value)
      done.set(name, json)
      order.push(name)
      if (reached('after')) return gone()
      return JSON.parse(json) as T
    }
    return {
      dead,
      step: remember,
      async wait(topic) {
        const answer = await remember(`wait:${topic}`, async () => {
          clock.advance(ANSWER_MS)
          return answers[topic] ?? null
        })
        return answer ?? undefined
      },
      now: () => remember(`now:${times++}`, async () => clock.now()),
      uuid: () => remember('uuid', async () => `run-${++ids}`),
    }
  }
  return { order, open }
}
