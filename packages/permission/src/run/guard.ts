import { messageOf } from '@ext/kernel'

/**
 * Calls what the host has passed in. Of one that throws, or is async where it must not be, `otherwise` is the answer, which has
 * to be the strict one.
 * @param failed hears what has failed, as a sentence
 */
export function guarded<T>(name: string, call: () => T, otherwise: T, failed: (problem: string) => void): T {
  try {
    const answer: unknown = call()
    if (!(answer instanceof Promise)) return answer as T
    answer.catch(() => {})
    failed(`\`${name}\` must answer at once, and gave a promise.`)
  } catch (error) {
    failed(failureOf(name, error))
  }
  return otherwise
}

/** The same of what is only told something, and may take its time with it. */
export function tell(name: string, call: () => unknown, failed: (problem: string) => void): void {
  const say = (error: unknown) => failed(failureOf(name, error))
  try {
    const told = call()
    if (told instanceof Promise) told.catch(say)
  } catch (error) {
    say(error)
  }
}

export function failureOf(name: string, error: unknown): string {
  return `\`${name}\` failed: ${messageOf(error).replace(/\.$/, '')}.`
}

/** A time that is none lets everything pass that compares with it. */
export function timeOf(clock: { now(): number }): number {
  const now: unknown = clock.now()
  if (typeof now === 'number' && Number.isFinite(now)) return now
  if (now instanceof Promise) now.catch(() => {})
  throw new Error('its `now` gave no number')
}
