import type { LoadHost, Pipeline } from './pipeline/definition.js'
import { createSnapshotStore, type SnapshotStore } from './snapshot.js'
import type { ConfigSource } from './types.js'

/** What a reloader loads, and how. */
export interface ReloaderOptions<Entry, Compiled, Context> {
  readonly pipeline: Pipeline<Entry, Compiled, Context>
  readonly sources: readonly ConfigSource[]
  /** Asked before each load, since what it depends on may have changed. */
  context(): Context
  readonly host: LoadHost<Entry>
}

/** Keeps the snapshot of one axis up to date. */
export interface Reloader<Compiled> {
  /** Holds what was loaded last. */
  readonly store: SnapshotStore<Compiled>
  /**
   * Loads again and swaps the snapshot. Bad configuration never rejects: entries that can't be used any more keep their
   * last good version. Loads run one after the other, so what was asked for last is what stays; calls that come while one
   * waits to begin share it.
   * Rejects for a fault of the program, such as a dialect without a reader; the snapshot then stays, and so do the sources.
   * @param sources from now on, instead of those that were loaded last
   */
  reload(sources?: readonly ConfigSource[]): Promise<void>
  /** Ends it: no snapshot is swapped any more, and `reload` does nothing. */
  close(): void
}

/** Loads for the first time. Rejects for a fault of the program only, as `Pipeline.load` does. */
export async function createReloader<Entry, Compiled, Context>(
  options: ReloaderOptions<Entry, Compiled, Context>,
): Promise<Reloader<Compiled>> {
  const { pipeline, host } = options
  let { sources } = options
  const store = createSnapshotStore(await pipeline.load(sources, options.context(), host))
  let last: Promise<unknown> = Promise.resolve()
  let waiting: Promise<void> | undefined
  let closed = false

  async function load(next: readonly ConfigSource[]): Promise<void> {
    if (closed) return
    const snapshot = await pipeline.load(next, options.context(), host, { previous: store.current })
    if (closed) return
    sources = next
    store.replace(snapshot)
  }

  function enqueue(run: () => Promise<void>): Promise<void> {
    const done = last.then(run)
    last = done.catch(() => {})
    return done
  }

  return {
    store,
    reload(next) {
      if (next) {
        waiting = undefined
        return enqueue(() => load(next))
      }
      waiting ??= enqueue(() => {
        waiting = undefined
        return load(sources)
      })
      return waiting
    },
    close() {
      closed = true
    },
  }
}
