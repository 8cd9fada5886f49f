import type { RunContext } from './run-context.js'
import { pause } from './signals.js'

/** How long the end of a loop waits for hooks that only tell somebody something. */
const PATIENCE_MS = 1000

/** Something that runs beside the turns of a loop and ends with it: a sub-agent of a hook, a Notification. */
export interface Helper {
  readonly done: Promise<unknown>
  /** Whether the end of the loop waits a little for it. */
  readonly patient: boolean
  abort(reason: unknown): void
}

/** Keeps a helper until it is done. */
export function addHelper(run: Pick<RunContext, 'helpers'>, helper: Helper): void {
  const { helpers } = run
  helpers.add(helper)
  const forget = () => void helpers.delete(helper)
  helper.done.then(forget, forget)
}

/** Nothing of a loop goes on after its end. */
export async function endHelpers({ helpers, agent, signal }: RunContext): Promise<void> {
  if (helpers.size === 0) return
  const end = (those: Iterable<Helper>) => {
    for (const helper of those) helper.abort('the run is over')
  }
  const settled = () => Promise.allSettled([...helpers].map(({ done }) => done))
  end([...helpers].filter(({ patient }) => !patient))
  const over = new AbortController()
  const waiting = pause(agent.clock, PATIENCE_MS, AbortSignal.any([signal, over.signal])).catch(() => {})
  await Promise.race([settled(), waiting])
  over.abort()
  end(helpers)
  await settled()
}
