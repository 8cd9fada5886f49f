import { messageOf } from '@ext/kernel'
import type { Message } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import { agentToolFor } from './agents/run.js'
import { type Durable, inProcess } from './durable.js'
import { createEventQueue } from './event-queue.js'
import { converse } from './loop.js'
import { openRun, type SessionOrigin } from './open-run.js'
import type { AgentContext, RunContext, SessionState, Spent } from './run-context.js'
import type { RunEvent, RunEventFields, RunEventType, RunResult } from './run-events.js'
import { outOfTime } from './signals.js'
import { startSpan } from './trace.js'
import type { Run, RunOptions } from './types.js'

/**
 * How long hooks and records at the end of a call and of a run may still take once the run is aborted. An aborted run
 * has to be over within 200 ms.
 */
const GRACE_MS = 150

/** A run as its session sees it. */
export interface StartedRun {
  readonly run: Run
  abort(reason: Error): void
}

/** What a session gives to its run. */
export interface RunStart {
  readonly input: string | readonly Message[]
  readonly origin: SessionOrigin
  readonly options: RunOptions
  /** Called right before the result is told. */
  onEnd(): void
}

export function startRun(agent: AgentContext, session: SessionState, start: RunStart): StartedRun {
  const { signal: caller, durable = inProcess(agent.clock, agent.newId) } = start.options
  const queue = createEventQueue()
  const stamp = timestamps(agent.clock)
  const emit = <T extends RunEventType>(type: T, fields: RunEventFields[T]) => {
    const event = eventOf(stamp(), session, type, fields)
    queue.push(event)
    if (type !== 'text' && type !== 'progress') durable.emit?.(event)
  }
  const signals = runSignals(agent, [caller, durable.signal])

  const conduct = async (): Promise<RunResult> => {
    const result = await conductRun(agent, session, start, { durable, emit, signals }).catch(
      // Reached only if the engine behind the durable port, or the journal, gives up.
      (error): RunResult => failedResult(emit, messageOf(error), signals.controller.signal.aborted),
    )
    signals.release()
    start.onEnd()
    emit('result', result)
    queue.close()
    return result
  }
  return {
    run: { result: conduct(), [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() },
    abort: (reason) => signals.controller.abort(reason),
  }
}

interface RunParts {
  readonly durable: Durable
  readonly emit: RunContext['emit']
  readonly signals: ReturnType<typeof runSignals>
}

async function conductRun(
  agent: AgentContext,
  session: SessionState,
  { input, origin }: RunStart,
  { durable, emit, signals }: RunParts,
): Promise<RunResult> {
  const { maxRunMs, maxTurns } = agent.limits
  const id = await durable.uuid()
  signals.limitTime(await durable.now(), maxRunMs)
  const spent: Spent = { inputTokens: 0, outputTokens: 0, costUsd: undefined }
  const tracing = { failed: false }
  const parts: Omit<RunContext, 'agentTool'> = {
    id,
    agent,
    session,
    model: agent.model,
    maxTurns,
    depth: 0,
    durable,
    signal: signals.controller.signal,
    grace: signals.grace,
    allows: () => true,
    spent,
    used: spent,
    tracing,
    span: startSpan({ agent, tracing, emit }, 'invoke_agent', undefined, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': session.ref.id,
    }),
    background: new Set(),
    turns: 0,
    text: '',
    stopBlocks: 0,
    unknownInARow: 0,
    repeated: { call: '', times: 0 },
    auditFailed: false,
    emit,
  }
  const run: RunContext = { ...parts, agentTool: agentToolFor(parts) }
  const { reason, error } = await converse(run, () => openRun(run, input, origin))
  await Promise.all(run.background)
  run.span?.end(error?.kind)
  const { inputTokens, outputTokens, costUsd } = spent
  return {
    reason,
    text: run.text,
    usage: { inputTokens, outputTokens },
    ...(costUsd === undefined ? {} : { costUsd }),
    turns: run.turns,
    ...(error ? { error } : {}),
  }
}

/** An event as it is told, of a run or of the end of a session. */
export function eventOf<T extends RunEventType>(
  ts: string,
  { ref }: SessionState,
  type: T,
  fields: RunEventFields[T],
): RunEvent {
  return { v: 1, type, session_id: ref.id, ts, ...fields } as unknown as RunEvent
}

/** The time as ISO 8601. Many events come in one millisecond, and to write it out costs more than the rest of an event. */
export function timestamps(clock: ClockPort): () => string {
  let at = Number.NaN
  let text = ''
  return () => {
    const now = clock.now()
    if (now !== at) {
      at = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

function failedResult(emit: RunContext['emit'], message: string, aborted: boolean): RunResult {
  emit('notice', { text: `The run failed: ${message}` })
  return {
    reason: aborted ? 'aborted' : 'error',
    text: '',
    usage: { inputTokens: 0, outputTokens: 0 },
    turns: 0,
    error: { kind: 'internal', message },
  }
}

function runSignals({ clock }: AgentContext, callers: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController()
  const grace = new AbortController()
  const cleanups: (() => void)[] = []
  controller.signal.addEventListener('abort', () => {
    cleanups.push(clock.after(GRACE_MS, () => grace.abort(controller.signal.reason)))
  })
  for (const caller of callers) {
    if (!caller) continue
    const follow = () => controller.abort(caller.reason)
    if (caller.aborted) follow()
    else caller.addEventListener('abort', follow, { once: true })
    cleanups.push(() => caller.removeEventListener('abort', follow))
  }
  return {
    controller,
    grace: grace.signal,
    /** @param started by the clock of the durable run, so that a replay does not begin to count anew */
    limitTime(started: number, maxMs: number) {
      if (maxMs === Number.POSITIVE_INFINITY) return
      const left = Math.max(0, started + maxMs - clock.now())
      cleanups.push(clock.after(left, () => controller.abort(outOfTime(maxMs))))
    },
    release() {
      for (const cleanup of cleanups) cleanup()
    },
  }
}
