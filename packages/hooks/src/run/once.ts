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
      if (this.#taken.has(hook.id)) return false
      this.#taken.add(hook.id)
      return true
    })
  }

  /** For a hook that did not get to its end: it has not run. */
  release(hook: LoadedHook): void {
    this.#taken.delete(hook.id)
  }

  clear(): void {
    this.#taken.clear()
  }
}
