import type { LoadedHook } from '../match/listeners.js'

/** Which `once` hooks have run in a session. */
export class OnceMarks {
  readonly #taken = new Set<string>()

  /**
   * The hooks that may run now. Those that may run only once are marked in the same step, before anything starts, so
   * that two events at a time can't both run one.
   */
  claim(hooks: readonly LoadedHook[]): readonly LoadedHook[] {
    if (!hooks.some((hook) => hook.value.once)) return hooks
    return hooks.filter((hook) => {
      if (!hook.value.once) return true
      const key = keyOf(hook)
      if (this.#taken.has(key)) return false
      this.#taken.add(key)
      return true
    })
  }

  /** For a hook that did not get to its end: it has not run. */
  release(hook: LoadedHook): void {
    this.#taken.delete(keyOf(hook))
  }

  clear(): void {
    this.#taken.clear()
  }
}

/** A hook that was edited in its place has not run yet. */
function keyOf({ id, value }: LoadedHook): string {
  return JSON.stringify([id, value.identity])
}
