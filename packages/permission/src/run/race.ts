import { type ClockPort, messageOf } from '@ext/kernel'
import type { Attributed, Contender, PermissionAnswer, PermissionQuestion } from '@ext/kernel/contract'
import { readAnswer } from './answer.js'
import { failureOf, guarded, timeOf } from './guard.js'
import { failureNotice, notForAutomation, portNotice } from './notices.js'

export interface RaceOptions {
  readonly contenders: readonly Contender[]
  readonly clock: ClockPort
  readonly timeoutMs: number
  /** A person's answer that comes sooner is held back until then: the key was meant for something else. */
  readonly graceMs: number
  /**
   * How long a person may still see a question that a program has answered with yes. Asked when it happens, and hears of a
   * failure.
   */
  readonly visibleMs: (failed: (problem: string) => void) => number
  readonly signal?: AbortSignal
}

/** How a question ended. */
export type RaceEnd = {
  /** From the moment that the question was shown. */
  readonly waitMs: number
  readonly notices: readonly Attributed[]
} & (
  | { readonly end: 'answered'; readonly by: Contender; readonly answer: PermissionAnswer }
  | { readonly end: 'nobody' | 'timeout' }
)

/**
 * Asks everybody at once. The first answer, the time-out or the abort claims the question, in one synchronous step;
 * what comes later counts for nothing, and the others hear so through their signals. Who throws, answers with something
 * else, or may not say yes to this question has no opinion; once nobody is left who may have one, it is over.
 * A clock that fails ends the question without an answer: nobody would end it in time, or know what came too soon.
 * Rejects only when the signal aborts, with its reason.
 */
export function race(question: PermissionQuestion, options: RaceOptions): Promise<RaceEnd> {
  const { contenders, clock, timeoutMs, graceMs, visibleMs, signal } = options
  return new Promise((resolve, reject) => {
    const notices: Attributed[] = []
    const failed = (problem: string) => void notices.push(portNotice(problem))
    let shown = 0
    const runners = contenders.map((contender) => ({ contender, over: new AbortController() }))
    const timers = new Set<() => void>()
    let open = true
    let running = runners.length

    const claim = (): boolean => {
      if (!open) return false
      open = false
      for (const cancel of timers) guarded('ports.clock.after', cancel, undefined, failed)
      signal?.removeEventListener('abort', onAbort)
      return true
    }
    const after = (ms: number, fn: () => void) => {
      timers.add(clock.after(ms, fn))
    }
    const soFar = () => ({ waitMs: guarded('ports.clock.now', () => timeOf(clock), shown, failed) - shown, notices })
    const stop = (reason: unknown, winner?: Contender) => {
      for (const { contender, over } of runners) if (contender !== winner) over.abort(reason)
    }
    const onAbort = () => {
      if (!claim()) return
      stop(signal?.reason)
      reject(signal?.reason)
    }
    const finish = (end: 'nobody' | 'timeout', why: string) => {
      if (!claim()) return
      stop(new DOMException(why, 'TimeoutError'))
      resolve({ end, ...soFar() })
    }
    const win = (winner: Contender, answer: PermissionAnswer) => {
      if (!claim()) return
      const reason = new DOMException(`${winner.name} has answered.`, 'AbortError')
      const visible = winner.kind === 'automation' && answer.behavior === 'allow' ? visibleMs(failed) : 0
      for (const { contender, over } of runners) {
        if (contender === winner) continue
        const later = () => clock.after(visible, () => over.abort(reason))
        const isLate = visible > 0 && contender.kind === 'person'
        if (!isLate || !guarded('ports.clock.after', later, undefined, failed)) over.abort(reason)
      }
      resolve({ end: 'answered', by: winner, answer, ...soFar() })
    }
    const drop = (notice?: Attributed) => {
      if (!open) return
      if (notice) notices.push(notice)
      running -= 1
      if (running === 0) finish('nobody', 'Nobody has an answer.')
    }
    const take = (contender: Contender, found: unknown) => {
      if (!open) return
      if (found === undefined) return drop()
      const answer = readAnswer(found)
      if (!answer) return drop(failureNotice(contender.name, 'its answer is neither allow nor deny'))
      if (contender.kind === 'automation') {
        const refused = answer.behavior === 'allow' && question.decision.personOnly === true
        return refused ? drop(notForAutomation(contender.name)) : win(contender, answer)
      }
      try {
        const early = shown + graceMs - timeOf(clock)
        if (early > 0) after(early, () => win(contender, answer))
        else win(contender, answer)
      } catch (error) {
        drop(portNotice(failureOf('ports.clock', error)))
      }
    }

    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort)
    try {
      shown = timeOf(clock)
      after(timeoutMs, () => finish('timeout', 'The question was open for too long.'))
    } catch (error) {
      failed(failureOf('ports.clock', error))
      return finish('nobody', 'There is no clock.')
    }
    if (runners.length === 0) return finish('nobody', 'Nobody can be asked.')
    for (const { contender, over } of runners) {
      // Foreign code: it may throw before it returns a promise, and answer with anything.
      new Promise<unknown>((answered) => answered(contender.answer(question, { signal: over.signal }))).then(
        (found) => take(contender, found),
        (error) => drop(failureNotice(contender.name, messageOf(error))),
      )
    }
  })
}
