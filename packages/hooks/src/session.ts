import { ExtError } from '@ext/kernel'
import type {
  EventResult,
  HookRun,
  LifecycleEvent,
  LifecyclePayloads,
  NotificationType,
  SessionRef,
} from '@ext/kernel/contract'
import type { ListenerIndex, Listeners, LoadedHook } from './match/listeners.js'
import { type Scope, Subject } from './match/subject.js'
import type { ActionHost } from './run/actions/action.js'
import type { BegunCall } from './run/actions/function.js'
import { type AskHost, skipHook } from './run/answer.js'
import { askAtOnce } from './run/at-once.js'
import { Background } from './run/background.js'
import { dispatch } from './run/dispatch.js'
import { OnceMarks } from './run/once.js'
import { completePayload } from './run/payload.js'
import type { Running } from './run/running.js'
import { StopCap } from './run/stop-cap.js'
import type { FailingHook, Watch } from './run/watch.js'
import type { FireOptions, HookSession, SessionOptions } from './types.js'

/** What the sessions of a host share. */
export interface SessionHost extends ActionHost {
  readonly running: Running
  readonly watch: Watch
  /** Who listens now. */
  index(): ListenerIndex
  /** Who would listen, had somebody approved it. */
  untrusted(): ListenerIndex
  /** A managed file is broken, which keeps off what was approved, too. */
  managedBroken(): boolean
}

const NOTHING: EventResult = Object.freeze({ runs: [], context: [], notices: [] })

/** What the end of a session waits for all of its hooks together, unless one of them asks for more. */
const SESSION_END_MS = 1500

/** The hooks of one session, with what they have done in it so far. */
export class Session implements HookSession {
  readonly #ref: SessionRef
  readonly #host: SessionHost & AskHost
  readonly #scope: Scope
  readonly #marks = new OnceMarks()
  readonly #stops = new StopCap()
  readonly #background: Background
  /** Hooks of which the user knows that they do not run. */
  readonly #toldOf = new Set<string>()

  constructor(ref: SessionRef, host: SessionHost, { activeSkills = () => [] }: SessionOptions) {
    if (ref.id === '') throw new ExtError('hooks.session.id', 'A session needs an id: hooks tell sessions apart by it.')
    this.#ref = ref
    this.#host = { ...host, failing: (hook) => void this.#tellFailing(hook) }
    this.#scope = { ...(ref.agent ? { agent: ref.agent.type } : {}), skills: activeSkills }
    this.#background = new Background(ref, this.#marks, host.running, host.ports.clock)
  }

  fire<E extends LifecycleEvent>(
    event: E,
    payload: () => LifecyclePayloads[E],
    options: FireOptions = {},
  ): undefined | Promise<EventResult> {
    const { running } = this.#host
    const { signal } = options
    running.throwIfClosed()
    if (event === 'PreToolUse') this.#stops.sawCall()
    else if (event === 'UserPromptSubmit') this.#stops.reset()
    const listeners = this.#host.index().get(event)
    const untrusted = this.#host.untrusted().get(event)
    if (!listeners && !untrusted && !this.#background.hasNewsFor(event)) return this.#nobody(event)
    if (listeners) this.#host.watch.tally.fired(event)
    const subject = this.#subjectOf(event, payload())
    const skipped = untrusted ? this.#tellOfUntrusted(untrusted, subject) : []
    const hasNews = this.#background.hasNewsFor(event)
    const matched = listeners ? this.#marks.claim(listeners.matching(subject)) : []
    if (matched.length === 0 && !hasNews) return this.#nobody(event)
    const asked = hasNews || signal?.aborted ? undefined : askAtOnce(matched, subject.payload, this.#ref, this.#host)
    if (asked?.result) {
      if (asked.failed) for (const hook of matched) this.#marks.release(hook)
      this.#nobody(event)
      return Promise.resolve(this.#capped(event, this.#background.deliver(event, asked.result)))
    }
    return running.start(async (ending) => {
      try {
        const result = listeners
          ? await this.#ask(event, subject, matched, listeners, ending, options, asked?.begun)
          : NOTHING
        const all = skipped.length > 0 ? { ...result, runs: [...skipped, ...result.runs] } : result
        return this.#capped(event, this.#background.deliver(event, all))
      } finally {
        // Also when it is aborted.
        this.#nobody(event)
      }
    }, signal)
  }

  /** Says once of each hook that waits for approval that it does not run. */
  #tellOfUntrusted(listeners: Listeners, subject: Subject): readonly HookRun[] {
    const news = listeners.matching(subject).filter(({ id }) => !this.#toldOf.has(id))
    return news.map((hook) => {
      this.#toldOf.add(hook.id)
      const why = this.#host.managedBroken() ? 'a managed file is broken' : 'it waits for approval'
      this.#background.say([{ by: hook.name, text: `did not run: ${why}` }])
      return skipHook(hook, subject.payload, 'untrusted', this.#ref, this.#host).run
    })
  }

  #capped(event: LifecycleEvent, result: EventResult): EventResult {
    return event === 'Stop' || event === 'SubagentStop' ? this.#stops.check(result) : result
  }

  end(): void {
    this.#background.end()
  }

  reset(): void {
    this.#marks.clear()
    this.#stops.reset()
  }

  /**
   * Tells the hooks that listen to notifications. Nobody waits for them, what they say comes with a later event, and when
   * they fail themselves, no hook is told.
   */
  async #tellFailing({ hook, event, message, repeated }: FailingHook): Promise<void> {
    if (repeated) this.#background.say([{ by: hook, text: message }])
    const { running, index, watch } = this.#host
    const listeners = index().get('Notification')
    if (!listeners || event === 'Notification') return
    const notification_type: NotificationType = 'hook_failing'
    const own = { notification_type, title: hook, message: `${hook} ${message}` }
    const subject = this.#subjectOf('Notification', own)
    watch.tally.fired('Notification')
    try {
      running.throwIfClosed()
      const matched = this.#marks.claim(listeners.matching(subject))
      if (matched.length === 0) return
      const { notices } = await running.start(
        (ending) => this.#ask('Notification', subject, matched, listeners, ending, {}),
        undefined,
      )
      this.#background.say(notices)
    } catch {
      // They were ended together with all hooks.
    }
  }

  /** Nobody is to be asked (any more). A session or sub-agent that ends takes its unwaited hooks along. */
  #nobody(event: LifecycleEvent): undefined {
    if (event === 'SessionEnd' || (event === 'AfterAgent' && this.#ref.origin !== 'main')) this.#background.end()
  }

  #subjectOf<E extends LifecycleEvent>(event: E, own: LifecyclePayloads[E]): Subject {
    const { clock } = this.#host.ports
    return new Subject(own, this.#ref.cwd, this.#scope, () => completePayload(event, own, this.#ref, clock.now()))
  }

  async #ask(
    event: LifecycleEvent,
    subject: Subject,
    matched: readonly LoadedHook[],
    listeners: Listeners,
    signal: AbortSignal,
    options: Pick<FireOptions, 'trace'>,
    begun?: BegunCall,
  ): Promise<EventResult> {
    if (signal.aborted) for (const hook of matched) this.#marks.release(hook)
    signal.throwIfAborted()
    const waited = matched.filter((hook) => !hook.value.background)
    const unwaited = waited.length < matched.length ? matched.filter((hook) => hook.value.background) : []
    const host: AskHost = this.#host.watch.isTracing ? { ...this.#host, trace: () => options.trace } : this.#host
    const started = this.#background.start(unwaited, subject.payload, host)
    const result =
      waited.length === 0
        ? NOTHING
        : await dispatch({
            subject,
            matched: waited,
            unwaited,
            start: (hooks, payload) => this.#background.start(hooks, payload, host),
            ...(begun ? { begun } : {}),
            listeners,
            session: this.#ref,
            marks: this.#marks,
            signal,
            host,
            ...(event === 'SessionEnd' ? { deadline: this.#deadline(waited) } : {}),
          })
    return started.length > 0 ? { ...result, runs: [...result.runs, ...started.map(({ run }) => run)] } : result
  }

  #deadline(hooks: readonly LoadedHook[]): number {
    return this.#host.ports.clock.now() + Math.max(SESSION_END_MS, ...hooks.map((hook) => hook.value.timeoutMs))
  }
}
