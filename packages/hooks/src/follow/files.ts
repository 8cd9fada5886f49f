import type { FileDifference, Tracked } from '@ext/kernel'
import type { EventResult, LifecyclePayloads } from '@ext/kernel/contract'

export interface FileFollowerOptions {
  /** The files that `watchedFiles()` of the hooks names; see `trackStamps` of the kernel. */
  readonly tracked: Tracked
  /** Tells hooks; that of a session fits. */
  fire(
    event: 'FileChanged',
    payload: () => LifecyclePayloads['FileChanged'],
    options: { readonly signal: AbortSignal },
  ): undefined | Promise<EventResult>
}

/** Follows files, when it is asked to. */
export interface FileFollower {
  /**
   * Looks whether something has changed, and tells hooks of FileChanged. What they change in these files themselves is no
   * news for them. Looks run one after the other. Rejects when `signal` aborts.
   * @returns what has changed
   */
  look(options?: { readonly signal?: AbortSignal }): Promise<readonly FileDifference[]>
}

export function followFiles({ tracked, fire }: FileFollowerOptions): FileFollower {
  let last: Promise<unknown> = Promise.resolve()

  async function look(signal: AbortSignal): Promise<readonly FileDifference[]> {
    signal.throwIfAborted()
    const found = await tracked.changes()
    let ran = false
    for (const difference of found) {
      const { path: file_path, change } = difference
      tracked.take(difference)
      const told = await fire('FileChanged', () => ({ file_path, change, event: change }), { signal })
      ran ||= (told?.runs.length ?? 0) > 0
    }
    if (ran) for (const own of await tracked.changes()) tracked.take(own)
    return found
  }

  return {
    look({ signal = new AbortController().signal } = {}) {
      const next = last.then(() => look(signal))
      last = next.catch(() => {})
      return next
    },
  }
}
