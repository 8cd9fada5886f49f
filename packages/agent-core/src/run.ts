import { messageOf } from '@ext/kernel'
import { createEventQueue } from './event-queue.js'
import { converse } from './loop.js'
import type { AgentContext, RunContext, RunEnd, SessionState } from './run-context.js'
import type { RunEvent, RunEventFields, RunEventType, RunResult } from './run-events.js'
import type { Run } from './types.js'

/** How long the hooks after a call may still take once the run is aborted. */
const GRACE_MS = 1000

/** A run as its agent sees it. */
export interface StartedRun {
  readonly run: Run
  abort(reason: Error): void
}

/**
 * @param signal the caller's
 * @param onEnd called right before the result is told
 */
export function startRun(
  agent: AgentContext,
  session: SessionState,
  input: string,
  signal: AbortSignal | undefined,
  onEnd: () => void,
): StartedRun {
  const queue = createEventQueue()
  const { clock } = agent
  const emit = <T extends RunEventType>(type: T, fields: RunEventFields[T]) => {
    const base = { v: 1, type, session_id: session.ref.id, ts: new Date(clock.now()).toISOString() } as const
    queue.push({ ...base, ...fields } as RunEvent)
  }
  const { controller, grace, release } = runSignals(agent, signal)
  const run: RunContext = {
    id: agent.newId(),
    agent,
    session,
    signal: controller.signal,
    grace,
    turns: 0,
    stopBlocks: 0,
    unknownInARow: 0,
    text: '',
    inputTokens: 0,
    outputTokens: 0,
    emit,
  }

  const conduct = async (): Promise<RunResult> => {
    const { reason, notice } = await converse(run, input).catch((error) => endAfterError(run, error))
    release()
    if (notice) emit('notice', notice)
    const { text, turns, inputTokens, outputTokens } = run
    const result: RunResult = { reason, text, usage: { inputTokens, outputTokens }, turns }
    onEnd()
    emit('result', result)
    queue.close()
    return result
  }
  return {
    run: { result: conduct(), [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() },
    abort: (reason) => controller.abort(reason),
  }
}

function runSignals({ clock }: AgentContext, caller: AbortSignal | undefined) {
  const controller = new AbortController()
  const grace = new AbortController()
  let cancelGrace = () => {}
  controller.signal.addEventListener('abort', () => {
    cancelGrace = clock.after(GRACE_MS, () => grace.abort(controller.signal.reason))
  })
  const follow = () => controller.abort(caller?.reason)
  if (caller?.aborted) follow()
  else caller?.addEventListener('abort', follow, { once: true })
  return {
    controller,
    grace: grace.signal,
    release() {
      cancelGrace()
      caller?.removeEventListener('abort', follow)
    },
  }
}

function endAfterError(run: RunContext, error: unknown): RunEnd {
  if (run.signal.aborted) return { reason: 'aborted' }
  return { reason: 'error', notice: { text: `The run failed: ${messageOf(error)}` } }
}
