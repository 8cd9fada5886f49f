import type { SessionRef } from '@ext/kernel/contract'
import { askBeside } from './ask-model.js'
import { budgetUsedUp } from './budget.js'
import { addHelper } from './helpers.js'
import { sayOnce } from './prompt.js'
import type { RunContext } from './run-context.js'
import { runKey } from './run-key.js'
import type { Agent, SampleOrder, SampleOutcome } from './types.js'

/** Has the model of a run think for others, in the budget of the run. */
export function sampler(active: ReadonlyMap<string, RunContext>): Agent['sample'] {
  return async (order, { signal } = {}) => {
    signal?.throwIfAborted()
    const run = runOf(active, order.session)
    if (!run) return { status: 'refused', problem: 'No run is under way that it could be for.' }
    const early = refusal(run, order)
    if (early) return early
    const { id, limits } = order.model ?? run.model
    const request = await order.request({ id, ...(limits ? { limits } : {}) })
    signal?.throwIfAborted()
    if (!request) return { status: 'declined' }
    // Whoever was asked has taken their time.
    const isOver = () => active.get(runKey(run.session.ref)) !== run
    if (isOver()) return { status: 'refused', problem: 'The run is over.' }
    return refusal(run, order) ?? think(run, order, request, { signal, isOver })
  }
}

function runOf(active: ReadonlyMap<string, RunContext>, session: SessionRef | undefined): RunContext | undefined {
  if (session) return active.get(runKey(session))
  const [only, ...others] = [...active.values()].filter(({ parent }) => !parent)
  return others.length === 0 ? only : undefined
}

function refusal(run: RunContext, { by, guards }: SampleOrder): SampleOutcome | undefined {
  const problem = guards ? undefined : budgetUsedUp(run)
  if (problem === undefined) return undefined
  sayOnce(run, `The model does not think for ${by}: ${problem}`)
  return { status: 'refused', problem }
}

/** Ends when nobody wants to know any more, and with the run unless somebody guards. */
async function think(
  run: RunContext,
  { by, guards, model = run.model }: SampleOrder,
  request: Parameters<typeof askBeside>[1],
  { signal, isOver }: { readonly signal: AbortSignal | undefined; isOver(): boolean },
): Promise<SampleOutcome> {
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const follow = () => abort(signal?.reason)
  const withRun = () => abort(run.signal.reason)
  const emit: RunContext['emit'] = (type, fields) => {
    if (!isOver()) run.emit(type, fields)
  }
  signal?.addEventListener('abort', follow)
  if (!guards) {
    run.signal.addEventListener('abort', withRun)
    if (run.signal.aborted) withRun()
  }
  try {
    const done = askBeside({ ...run, model, emit, signal: controller.signal }, request, by)
    if (!guards) addHelper(run, { done, patient: false, abort })
    const { text, cut, broken, inputTokens, outputTokens, costUsd } = await done
    signal?.throwIfAborted()
    if (broken) return { status: 'failed', problem: `The model failed: ${broken.message}` }
    const usage = { inputTokens, outputTokens, ...(costUsd === undefined ? {} : { costUsd }) }
    return { status: 'done', text, model: model.id, usage, ...(cut === undefined ? {} : { cut }) }
  } finally {
    signal?.removeEventListener('abort', follow)
    run.signal.removeEventListener('abort', withRun)
  }
}
