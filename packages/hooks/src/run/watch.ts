import { type ClockPort, createReporter, type Diagnostic, messageOf, type Source } from '@ext/kernel'
import type { LifecycleEvent, SessionRef, TraceContext } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { type EndedRun, type LedgerPort, toRecord } from '../ledger.js'
import type { LoadedHook } from '../match/listeners.js'
import { Tally } from '../stats.js'
import type { HookSpan, HookTracer } from '../tracer.js'

const report = createReporter(diagnosticCodes)

/** From here on a hook is not having a bad moment. */
const FAILURES_IN_A_ROW = 3

/** Who is told of runs. */
export interface WatchOptions {
  readonly clock: ClockPort
  readonly ledger: LedgerPort | undefined
  readonly tracer: HookTracer | undefined
}

/** A hook that a person should look at. */
export interface FailingHook {
  readonly hook: string
  readonly event: LifecycleEvent
  /** Without its name, which comes first. */
  readonly message: string
  /** It fails again and again, which its own notices do not say. */
  readonly repeated: boolean
}

/** Sees every run of every session: counts it, writes it down, and notices what keeps failing. */
export class Watch {
  readonly tally: Tally = new Tally()
  readonly #clock: ClockPort
  #ledger: LedgerPort | undefined
  #tracer: HookTracer | undefined
  readonly #failures = new Map<string, number>()
  readonly #diagnostics: Diagnostic[] = []

  constructor({ clock, ledger, tracer }: WatchOptions) {
    this.#clock = clock
    this.#ledger = ledger
    this.#tracer = tracer
  }

  /** What went wrong with those who are told, each once. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics
  }

  get isTracing(): boolean {
    return this.#tracer !== undefined
  }

  /**
   * Before a hook runs.
   * @param trace asked for the span of the event if there is somebody to draw one below it
   */
  start(
    { name, value: { event } }: LoadedHook,
    session: SessionRef,
    trace: (() => TraceContext | undefined) | undefined,
  ): HookSpan | undefined {
    const tracer = this.#tracer
    if (!tracer) return undefined
    const attributes = { 'ext.hook.name': name, 'ext.hook.event': event, 'ext.session.id': session.id }
    return this.#trace(() => {
      const within = trace?.()
      return tracer.start('ext.hook.run', { attributes, ...(within ? { within } : {}) })
    })
  }

  /** A hook has ended. Says so if a person should look at it. */
  ended(ended: EndedRun, session: SessionRef, span: HookSpan | undefined): FailingHook | undefined {
    const { loaded, run, reply, exitCode } = ended
    const { outcome, ms } = run
    const failed = outcome === 'failed' || outcome === 'timedOut'
    if (span) {
      this.#trace(() => {
        span.set({ 'ext.hook.outcome': outcome })
        span.end(failed ? (run.cause ?? outcome) : undefined)
      })
    }
    if (outcome === 'skipped') {
      this.#write(ended, session, span?.traceId)
      return undefined
    }
    const blocked = reply.block !== undefined || reply.stop !== undefined
    this.tally.add({ id: loaded.id, blocked, failed, exitCode, ms })
    this.#write(ended, session, span?.traceId)
    return failed ? this.#failed(ended) : void this.#failures.delete(loaded.id)
  }

  /** A hook did not run after all. */
  skipped(skipped: EndedRun, session: SessionRef): void {
    this.#write(skipped, session, undefined)
  }

  /** A hook was ended with its event. */
  aborted(ended: EndedRun, session: SessionRef, span: HookSpan | undefined): void {
    if (span) this.#trace(() => span.end('aborted'))
    const run = { ...ended.run, outcome: 'skipped', cause: 'aborted' } as const
    this.#write({ ...ended, run, reply: { outcome: 'skipped', notices: [] } }, session, span?.traceId)
  }

  #failed({ loaded, run }: EndedRun): FailingHook | undefined {
    const failures = (this.#failures.get(loaded.id) ?? 0) + 1
    this.#failures.set(loaded.id, failures)
    const { event, onFailure, background } = loaded.value
    const cause = run.cause ?? run.outcome
    if (failures === FAILURES_IN_A_ROW) {
      const message = `has failed ${failures} times in a row (${cause}). Repair it, or switch it off with \`disabledHooks: [${loaded.name}]\`.`
      return { hook: loaded.name, event, message, repeated: true }
    }
    if (failures > 1 || event !== 'PreToolUse' || background) return undefined
    const effect = onFailure === 'block' ? 'so the call was blocked' : 'so it held nothing back'
    return { hook: loaded.name, event, message: `could not judge a call (${cause}), ${effect}.`, repeated: false }
  }

  #write(ended: EndedRun, session: SessionRef, traceId: string | undefined): void {
    const ledger = this.#ledger
    if (!ledger) return
    try {
      ledger.write(toRecord(ended, session, this.#clock.now(), traceId))
    } catch (error) {
      this.#ledger = undefined
      const message = `The ledger of hooks failed and is off: ${messageOf(error)}.`
      const hint = 'Make room for it, or give another `ledger`; hooks run without it.'
      this.#diagnostics.push(report.warning('hooks.ledger.failed', optionSource('ledger'), message, { hint }))
    }
  }

  #trace<T>(work: () => T): T | undefined {
    if (!this.#tracer) return undefined
    try {
      return work()
    } catch (error) {
      this.#tracer = undefined
      const message = `Tracing of hooks failed and is off: ${messageOf(error)}.`
      const hint = 'Repair the `tracer`; hooks run without it.'
      this.#diagnostics.push(report.warning('hooks.tracer.failed', optionSource('tracer'), message, { hint }))
      return undefined
    }
  }
}

function optionSource(option: 'ledger' | 'tracer'): Source {
  return { layer: 'built-in', name: `createHooks({${option}})` }
}
