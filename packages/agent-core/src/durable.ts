import { ExtError, messageOf } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { RunEvent } from './run-events.js'
import { until } from './signals.js'

/**
 * The only way of a run to an effect. An engine that remembers what the steps gave can end a process at any moment and
 * play the run again elsewhere: what is finished is not done twice, and between two steps the loop does nothing but
 * compute. What is not remembered: pieces of text as they come in, which a replay gives as one, and traces.
 *
 * The run has to be played against the same agent: model, tools and limits. An engine that fails ends the run. What fails
 * inside a step, such as hooks or the gate, is remembered as an answer, so a replay goes the same way.
 */
export interface Durable {
  /**
   * Runs `fn` and remembers what it gave, as JSON, under `name`; at a replay gives that and does not run it. `name` occurs
   * once in a run. Steps never stand in each other, but calls of one turn that only read have theirs side by side, in no
   * fixed order. Nothing is remembered of an `fn` that rejects, which it does only when the run is aborted.
   */
  step<T>(name: string, fn: () => Promise<T>): Promise<T>
  /**
   * Waits for somebody outside. The topic of a question is in its `question` event, and it is answered with a
   * `PermissionAnswer`. Resolves with `undefined` after the time, and rejects with the reason of `signal`. Without it a
   * person is asked in the gate's step.
   */
  wait?(
    topic: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<JsonValue | undefined>
  /**
   * Told of every event of the run but pieces of text, thoughts and progress, again at a replay. Not waited for; one that fails is
   * told no more, and that is said.
   */
  emit?(event: RunEvent): void
  /** Milliseconds since the epoch; the same again at a replay. It has no name: the first is the first again, and so on. */
  now(): number | Promise<number>
  /** The same again at a replay. */
  uuid(): string | Promise<string>
  /** Ends the run, as the caller's signal does. */
  readonly signal?: AbortSignal
}

/** The part of the port that the loop works with. Rejects with an {@link isEngineFailure} or because of an abort. */
export interface Steps extends Pick<Durable, 'step' | 'wait' | 'now' | 'uuid'> {
  /** Whether an engine keeps what steps give, so that it has to be JSON. */
  readonly remembers: boolean
}

/** Remembers nothing: the run lives as long as the process. */
export function inProcess(clock: ClockPort, newId: () => string): Steps {
  return { remembers: false, step: (_name, fn) => fn(), now: () => clock.now(), uuid: newId }
}

/**
 * An engine that may fail or hang: neither is taken for a fault of what it should have remembered, and neither outlives
 * the run.
 */
export function guarded(durable: Durable, signal: AbortSignal, grace: AbortSignal): Steps {
  const guard = async <T>(bound: AbortSignal, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await until(bound, work())
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw new ExtError(ENGINE, `The engine of the durable run failed: ${messageOf(error)}`, { cause: error })
    }
  }
  const { wait } = durable
  return {
    remembers: true,
    step: (name, fn) => guard(grace, () => durable.step(name, fn)),
    ...(wait ? { wait: (topic, options) => guard(signal, () => wait.call(durable, topic, options)) } : {}),
    now: () => guard(signal, () => durable.now()),
    uuid: () => guard(signal, () => durable.uuid()),
  }
}

const ENGINE = 'agent-core.run.engine'

/** Whether the engine behind the durable port has failed. The run can't go on then. */
export function isEngineFailure(error: unknown): boolean {
  return ExtError.isInstance(error) && error.code === ENGINE
}

/** The part of a run that belongs to one of its sub-agents: the same steps under names of their own. */
export function below(steps: Steps, place: string): Steps {
  const { wait } = steps
  return {
    remembers: steps.remembers,
    step: (name, fn) => steps.step(`${place}/${name}`, fn),
    ...(wait ? { wait: (topic, options) => wait(`${place}/${topic}`, options) } : {}),
    now: steps.now,
    uuid: steps.uuid,
  }
}
