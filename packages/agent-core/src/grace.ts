import type { ClockPort } from '@ext/kernel/types'

/** Aborts a little later than what it follows: until then, what was under way may still be brought to its end. */
export interface Grace {
  readonly signal: AbortSignal
  release(): void
}

/** @param parent a grace that is over sooner ends this one too */
export function createGrace(clock: ClockPort, ms: number, run: AbortSignal, parent?: AbortSignal): Grace {
  const controller = new AbortController()
  let cancel = () => {}
  const start = () => {
    cancel = clock.after(ms, () => controller.abort(run.reason))
  }
  const follow = () => controller.abort(parent?.reason)
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow)
  if (run.aborted) start()
  else run.addEventListener('abort', start)
  return {
    signal: controller.signal,
    release() {
      cancel()
      run.removeEventListener('abort', start)
      parent?.removeEventListener('abort', follow)
    },
  }
}
