import { type ClockPort, ExtError, messageOf } from '@ext/kernel'
import type { Attributed, EventResult, LifecycleEvent, SessionRef } from '@ext/kernel/contract'
import { events, takesContext } from '../events.js'
import type { LoadedHook } from '../match/listeners.js'
import { type AskHost, askHook, type HookAnswer, skipHook, startedHook } from './answer.js'
import { Delivery } from './delivery.js'
import type { OnceMarks } from './once.js'
import type { SentPayload } from './payload.js'
import type { Running } from './running.js'

/** Hooks that one session may have running while nobody waits for them. */
const MAX_UNDER_WAY = 16

/** How long they may go on once their session is over. */
const GRACE_MS = 2000

/** The hooks of a session that nobody waits for, and what they have said since. It comes with a later event. */
export class Background {
  readonly #session: SessionRef
  readonly #marks: OnceMarks
  readonly #running: Running
  readonly #clock: ClockPort
  readonly #context: Attributed[] = []
  readonly #notices: Attributed[] = []
  readonly #wakes: Attributed[] = []
  /** One signal each: many listeners on one would be taken for a leak. */
  readonly #underWay = new Map<AbortController, Promise<unknown>>()

  constructor(session: SessionRef, marks: OnceMarks, running: Running, clock: ClockPort) {
    this.#session = session
    this.#marks = marks
    this.#running = running
    this.#clock = clock
  }

  /** Starts hooks, and says of each that it is under way. */
  start(hooks: readonly LoadedHook[], payload: SentPayload, host: AskHost): readonly HookAnswer[] {
    return hooks.map((loaded) => {
      if (this.#underWay.size === MAX_UNDER_WAY) {
        this.#marks.release(loaded)
        return skipHook(loaded, payload, `${MAX_UNDER_WAY} others are under way`, this.#session, host)
      }
      const over = new AbortController()
      const done = this.#running
        .start((ending) => this.#run(loaded, payload, ending, host), over.signal, GRACE_MS)
        // Nobody waits for it, so nobody else would catch it.
        .catch((error: unknown) => this.#notices.push({ by: loaded.name, text: `failed (${messageOf(error)})` }))
        .finally(() => this.#underWay.delete(over))
      this.#underWay.set(over, done)
      const answer = startedHook(loaded, payload, 'async')
      return { ...answer, run: { ...answer.run, outcome: 'noDecision' } }
    })
  }

  /** Takes what the user is to hear with the next event. */
  say(notices: readonly Attributed[]): void {
    this.#notices.push(...notices)
  }

  /** Whether there is something that an event can bring. */
  hasNewsFor(event: LifecycleEvent): boolean {
    if (this.#notices.length > 0) return true
    if (takesContext(event)) return this.#context.length + this.#wakes.length > 0
    return this.#wakes.length > 0 && events[event].tier === 'feedback'
  }

  /** Adds to the result of an event what there is to be told. */
  deliver(event: LifecycleEvent, result: EventResult): EventResult {
    if (!this.hasNewsFor(event)) return result
    const hears = takesContext(event)
    const context = hears ? this.#context.splice(0) : []
    const notices = this.#notices.splice(0)
    const isEnd = events[event].tier === 'feedback'
    const wakes = hears || isEnd ? this.#wakes.splice(0) : []
    const [first] = wakes
    // Whoever is about to stop is kept from it; whoever goes on anyway is told on the way, if there is one.
    const refuses = first && isEnd && !(result.block && hears)
    const reasons = [...(result.block ? [result.block.reason] : []), ...wakes.map(({ text }) => text)]
    return {
      ...result,
      ...(refuses ? { block: { by: result.block?.by ?? first.by, reason: reasons.join('\n') } } : {}),
      context: [...context, ...(refuses ? [] : wakes), ...result.context],
      notices: [...notices, ...result.notices],
    }
  }

  /** Ends what is under way after a time of grace, without waiting for it. */
  end(): void {
    if (this.#underWay.size === 0) return
    const ending = new Map(this.#underWay)
    const reason = new ExtError('hooks.session.over', 'The session is over.')
    const cancel = this.#clock.after(GRACE_MS, () => {
      for (const over of ending.keys()) over.abort(reason)
    })
    // A timer that nobody needs any more would keep the process from ending.
    void Promise.allSettled(ending.values()).then(cancel)
  }

  async #run(loaded: LoadedHook, payload: SentPayload, signal: AbortSignal, host: AskHost): Promise<void> {
    const delivery = new Delivery(payload, this.#session, host.root, signal)
    const wakes = loaded.value.background === 'rewake'
    const { reply } = await askHook(loaded, delivery, host, { wakes })
    const hasFailed = reply.outcome === 'failed' || reply.outcome === 'timedOut'
    if (hasFailed) this.#marks.release(loaded)
    if (signal.aborted) return
    const by = loaded.name
    const say = (text: string) => this.#notices.push({ by, text })
    if (reply.context !== undefined) this.#context.push({ by, text: reply.context })
    for (const notice of reply.notices) say(notice)
    // A failure is nothing that the model could do something about.
    if (hasFailed) return
    if (wakes && reply.block !== undefined) this.#wakes.push({ by, text: reply.block })
    else if (decides(reply)) say('ignored: its decision, since nobody waits for it')
  }
}

function decides({ block, stop, opinion, rewrite, retry, answer }: HookAnswer['reply']): boolean {
  return [block, stop, opinion, rewrite, retry, answer].some((part) => part !== undefined)
}
