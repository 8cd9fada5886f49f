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
    const { id, limits } = run.model
    const request = await order.request({ id, ...(limits ? { limits } : {}) })
    signal?.throwIfAborted()
    if (!request) return { status: 'declined' }
    // Whoever was asked has taken their time.
    if (active.get(runKey(run.session.ref)) !== run) return { status: 'refused', problem: 'The run is over.' }
    return refusal(run, order) ?? think(run, order, request, signal)
  }
}

function runOf(active: ReadonlyMap<string, RunContext>, session: SessionRef | undefined): RunContext | undefined {
  if (session) return active.get(runKey(session))
  const [only, ...others] = [...active.values()].filter(({ parent }) => !parent)
  return others.length === 0 ? only : undefined
}

function refusal(run: RunContext, { by }: SampleOrder): SampleOutcome | undefined {
  const problem = budgetUsedUp(run)
  if (problem === undefined) return undefined
  sayOnce(run, `The model does not think for ${by}: ${problem}`)
  return { status: 'refused', problem }
}

/** Ends with the run, or when nobody wants to know any more. */
async function think(
  run: RunContext,
  { by }: SampleOrder,
  request: Parameters<typeof askBeside>[1],
  signal: AbortSignal | undefined,
): Promise<SampleOutcome> {
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const follow = () => abort(signal?.reason)
  const withRun = () => abort(run.signal.reason)
  signal?.addEventListener('abort', follow)
  run.signal.addEventListener('abort', withRun)
  if (run.signal.aborted) withRun()
  try {
    const { model } = run
    const done = askBeside({ ...run, signal: controller.signal }, request, by)
    addHelper(run, { done, patient: false, abort })
    const { text, cut, broken } = await done
    signal?.throwIfAborted()
    if (broken) return { status: 'failed', problem: `The model failed: ${broken.message}` }
    return { status: 'done', text, model: model.id, ...(cut === undefined ? {} : { cut }) }
  } finally {
    signal?.removeEventListener('abort', follow)
    run.signal.removeEventListener('abort', withRun)
  }
}
