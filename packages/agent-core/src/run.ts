import { messageOf } from '@ext/kernel'
import { workAsHolder } from './agents/handoff/holder.js'
import { agentToolFor } from './agents/run.js'
import { compactNow } from './compaction/now.js'
import { type Durable, guarded, inProcess, type Steps } from './durable.js'
import { createEventQueue } from './event-queue.js'
import { createGrace } from './grace.js'
import { converse } from './loop.js'
import { openRun, type RunTask, type SessionOrigin } from './open-run.js'
import { type AgentContext, nothingDone, type RunContext, type SessionState } from './run-context.js'
import type { RunEvent, RunEventFields, RunEventType, RunResult } from './run-events.js'
import { beginKeeping, endKeeping } from './sessions/run.js'
import { outOfTime, whenRejected } from './signals.js'
import { nothingSpent } from './spending.js'
import { taskToolsFor } from './tasks/tools.js'
import { endTerms } from './terms.js'
import { timestamps } from './timestamps.js'
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
  readonly task: RunTask
  readonly origin: SessionOrigin
  readonly options: Pick<RunOptions, 'signal' | 'durable'>
  /** Called right before the result is told. */
  onEnd(): void
}

export function startRun(agent: AgentContext, session: SessionState, start: RunStart): StartedRun {
  const { signal: caller, durable } = start.options
  const queue = createEventQueue()
  const emit = createEmit(agent, session, queue.push, durable)
  const signals = runSignals(agent, [caller, durable?.signal])
  const { signal } = signals.controller
  const steps = durable ? guarded(durable, signal, signals.grace) : inProcess(agent.clock, agent.newId)

  const conduct = async (): Promise<RunResult> => {
    let result: RunResult
    try {
      result = await conductRun(agent, session, start, { steps, emit, signals })
    } catch (error) {
      // Reached only if the engine behind the durable port gives up before the first turn, or because of an abort.
      result = failedResult(emit, messageOf(error), signal.aborted)
    }
    for (const text of endTerms(session.extensions)) emit('notice', { text })
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

/** There are many of them, and none is needed to know what has happened. */
const UNTOLD: ReadonlySet<RunEventType> = new Set(['text', 'reasoning', 'progress'])

/** Tells an event to the reader and to the engine. What there is to say about the beginning comes behind the first event. */
function createEmit(
  agent: AgentContext,
  session: SessionState,
  push: (event: RunEvent) => void,
  durable: Durable | undefined,
): RunContext['emit'] {
  const stamp = timestamps(agent.clock)
  let early: RunEvent[] | undefined = []
  let listens = true
  const giveUp = (error: unknown) => {
    if (!listens) return
    listens = false
    const text = `The engine of the durable run can't be told of events, and is told no more: ${messageOf(error)}`
    push(eventOf(stamp(), session, 'notice', { text }))
  }
  const tell = (event: RunEvent) => {
    push(event)
    if (UNTOLD.has(event.type) || !listens) return
    try {
      whenRejected(durable?.emit?.(event), giveUp)
    } catch (error) {
      giveUp(error)
    }
  }
  const sayTroubles = () => {
    for (const text of agent.troubles) {
      if (session.said.has(text)) continue
      session.said.add(text)
      emit('notice', { text })
    }
  }
  const emit: RunContext['emit'] = (type, fields) => {
    const event = eventOf(stamp(), session, type, fields)
    // In front of the event, for the last one is the result.
    if (agent.troubles.size > 0) sayTroubles()
    if (early && type === 'notice') {
      early.push(event)
      return
    }
    tell(event)
    const waiting = early ?? []
    early = undefined
    for (const each of waiting) tell(each)
  }
  return emit
}

/** Of a run that begins anew. */
const NOTHING_BEFORE = { turns: 0, handoffs: 0, spent: Object.freeze(nothingSpent()) } as const

interface RunParts {
  readonly steps: Steps
  readonly emit: RunContext['emit']
  readonly signals: ReturnType<typeof runSignals>
}

async function conductRun(
  agent: AgentContext,
  session: SessionState,
  { task, origin }: RunStart,
  { steps, emit, signals }: RunParts,
): Promise<RunResult> {
  const { maxRunMs, maxTurns } = agent.limits
  const before = task.kind === 'continue' ? (session.open ?? session.unfinished) : undefined
  const id = before?.run || (await steps.uuid())
  signals.limitTime(await steps.now(), maxRunMs)
  const spent = nothingSpent()
  const {
    turns: turnsBefore,
    handoffs,
    spent: spentBefore,
  } = (task.kind === 'continue' && session.unfinished) || NOTHING_BEFORE
  const health = { tracingFailed: false, auditFailed: false }
  const run: RunContext = {
    id,
    agent,
    session,
    ownModel: agent.model,
    model: agent.model,
    ownEffort: undefined,
    effort: undefined,
    parent: undefined,
    given: [],
    maxTurns,
    depth: 0,
    path: '',
    durable: steps,
    signal: signals.controller.signal,
    grace: signals.grace,
    agentTool: undefined,
    handoffTool: undefined,
    taskTools: [],
    profile: undefined,
    allows: () => true,
    guards: false,
    spent,
    spentBefore,
    unclaimed: nothingSpent(),
    used: spent,
    health,
    span: startSpan({ agent, health, emit }, 'invoke_agent', undefined, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': session.ref.id,
    }),
    ...nothingDone(),
    emit,
  }
  run.taskTools = taskToolsFor(run)
  run.agentTool = agentToolFor(run)
  if (session.holder && !before) session.holder = { ...session.holder, since: 0 }
  workAsHolder(run)
  run.turns = turnsBefore
  run.handoffs = handoffs
  if (session.journal || session.remarks.length > 0) await beginKeeping(run, origin, task.kind === 'compact')
  const open = () => openRun(run, task, origin)
  const { reason, error } = task.kind === 'compact' ? await compactNow(run, open) : await converse(run, open)
  run.span?.end(error?.kind)
  const { inputTokens, outputTokens, costUsd } = spent
  const result: RunResult = {
    reason,
    text: run.text,
    usage: { inputTokens, outputTokens },
    ...(costUsd === undefined ? {} : { costUsd }),
    turns: run.turns,
    ...(error ? { error } : {}),
  }
  const kept = endKeeping(run, result, turnsBefore)
  if (kept) await kept
  return result
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

function failedResult(emit: RunContext['emit'], message: string, aborted: boolean): RunResult {
  const result = { text: '', usage: { inputTokens: 0, outputTokens: 0 }, turns: 0 }
  if (aborted) return { reason: 'aborted', ...result }
  emit('notice', { text: `The run failed: ${message}` })
  return { reason: 'error', ...result, error: { kind: 'internal', message } }
}

function runSignals({ clock }: AgentContext, callers: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController()
  const grace = createGrace(clock, GRACE_MS, controller.signal)
  const cleanups: (() => void)[] = [grace.release]
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
