import type { JsonValue } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { RunEvent } from './run-events.js'

/**
 * The only way of a run to an effect. An engine that remembers what the steps gave can end a process at any moment and
 * play the run again elsewhere: what is finished is not done twice, and between two steps the loop does nothing but
 * compute. What is not remembered: pieces of text as they come in, which a replay gives as one, and traces.
 *
 * The run has to be played against the same agent: model, tools and limits.
 */
export interface Durable {
  /**
   * Runs `fn` and remembers what it gave, as JSON, under `name`; at a replay gives that and does not run it. `name` occurs
   * once in a run. Steps never stand in each other, but calls of one turn that only read have theirs side by side, in no
   * fixed order. Nothing is remembered of an `fn` that rejects.
   */
  step<T>(name: string, fn: () => Promise<T>): Promise<T>
  /**
   * Waits for somebody outside: `approval:` and the place of the call is answered with a `PermissionAnswer`. Resolves with
   * `undefined` after the time, and rejects with the reason of `signal`. Without it a person is asked in the gate's step.
   */
  wait?(
    topic: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<JsonValue | undefined>
  /** Told of every event of the run but pieces of text and progress, again at a replay. Must not throw. */
  emit?(event: RunEvent): void
  /** Milliseconds since the epoch; the same again at a replay. */
  now(): number | Promise<number>
  /** The same again at a replay. */
  uuid(): string | Promise<string>
  /** Ends the run, as the caller's signal does. */
  readonly signal?: AbortSignal
}

/** Remembers nothing: the run lives as long as the process. */
export function inProcess(clock: ClockPort, newId: () => string): Durable {
  return { step: (_name, fn) => fn(), now: () => clock.now(), uuid: newId }
}

/** The part of a run that belongs to one of its sub-agents: the same steps under names of their own. */
export function below(durable: Durable, place: string): Durable {
  const { wait } = durable
  return {
    step: (name, fn) => durable.step(`${place}/${name}`, fn),
    ...(wait ? { wait: (topic, options) => wait.call(durable, `${place}/${topic}`, options) } : {}),
    now: () => durable.now(),
    uuid: () => durable.uuid(),
  }
}
