import type { FileDifference, Tracked } from '@ext/kernel'
import type { ConfigChangeSource, EventResult, LifecyclePayloads } from '@ext/kernel/contract'

/** A file of the configuration that has changed. */
export interface ConfigDifference extends FileDifference {
  readonly source: ConfigChangeSource
}

/** What came of changes. */
export interface ConfigLook {
  /** These were taken over, so that whoever reads them has to load them again. */
  readonly taken: readonly ConfigDifference[]
  /** These stay as they were until they change again. */
  readonly refused: readonly (ConfigDifference & { readonly by: string; readonly reason: string })[]
  /** These change whenever hooks hear of it, and stay as they were until somebody else changes them. */
  readonly restless: readonly ConfigDifference[]
  /** Hooks that wanted to refuse what the administrator has written, which nobody can. */
  readonly ignored: readonly { readonly by: string; readonly reason: string; readonly path: string }[]
}

export interface ConfigFollowerOptions {
  /** The files of the configuration; see `trackFiles` and `trackStamps` of the kernel. */
  readonly tracked: readonly Tracked[]
  sourceOf(path: string): ConfigChangeSource
  /** Tells hooks; that of a session fits. */
  fire(
    event: 'ConfigChange',
    payload: () => LifecyclePayloads['ConfigChange'],
    options: { readonly signal: AbortSignal },
  ): undefined | Promise<EventResult>
}

/** Follows the files of the configuration, when it is asked to. */
export interface ConfigFollower {
  /**
   * Looks whether something has changed, asks hooks of ConfigChange about each file, and takes over what none refuses. Looks
   * run one after the other. Rejects when `signal` aborts; what was not taken over by then is a change for the next look.
   * @returns `undefined` where nothing is new
   */
  look(options?: { readonly signal?: AbortSignal }): Promise<ConfigLook | undefined>
}

/** A hook that changes configuration itself is told of its own change so often, in looks that follow each other. */
const MAX_OWN_CHANGES = 3

export function followConfig({ tracked, sourceOf, fire }: ConfigFollowerOptions): ConfigFollower {
  /** By path: what is not taken over, as it was when that was decided. */
  const left = new Map<string, string>()
  let ownChanges = 0
  let last: Promise<unknown> = Promise.resolve()

  const news = async () => {
    const found = await Promise.all(
      tracked.map(async (part) => (await part.changes()).map((change) => ({ part, change }))),
    )
    return found.flat().filter(({ change: { path, version } }) => left.get(path) !== version)
  }

  async function look(signal: AbortSignal): Promise<ConfigLook | undefined> {
    signal.throwIfAborted()
    const found = await news()
    if (found.length === 0) {
      ownChanges = 0
      return undefined
    }
    const passed: { readonly part: Tracked; readonly difference: ConfigDifference }[] = []
    const refused: ConfigLook['refused'][number][] = []
    const ignored: ConfigLook['ignored'][number][] = []
    let ran = false
    for (const { part, change } of found) {
      const { path } = change
      const difference = { ...change, source: sourceOf(path) }
      const told = await fire('ConfigChange', () => ({ source: difference.source, file_path: path }), { signal })
      signal.throwIfAborted()
      ran ||= (told?.runs.length ?? 0) > 0
      const no = told?.block ?? told?.stop
      if (no && difference.source !== 'policy_settings') {
        refused.push({ ...difference, ...no })
        continue
      }
      if (no) ignored.push({ ...no, path })
      passed.push({ part, difference })
    }
    // In one step: a look that is aborted before has decided nothing.
    for (const { path, version } of refused) left.set(path, version)
    for (const { part, difference } of passed) {
      left.delete(difference.path)
      part.take(difference)
    }
    const taken = passed.map(({ difference }) => difference)
    return { taken, refused, ignored, restless: ran ? await leaveRestless() : [] }
  }

  /** What has changed while hooks were told: it is asked about like any other change, but not for ever. */
  async function leaveRestless(): Promise<readonly ConfigDifference[]> {
    const own = await news()
    ownChanges = own.length > 0 ? ownChanges + 1 : 0
    if (ownChanges <= MAX_OWN_CHANGES) return []
    ownChanges = 0
    // The administrator has the last word, and is not kept waiting.
    const restless = own.map(({ change }) => ({ ...change, source: sourceOf(change.path) }))
    const leaving = restless.filter(({ source }) => source !== 'policy_settings')
    for (const { path, version } of leaving) left.set(path, version)
    return leaving
  }

  return {
    look({ signal = new AbortController().signal } = {}) {
      const next = last.then(() => look(signal))
      last = next.catch(() => {})
      return next
    },
  }
}
