interface Shared {
  readonly callers: Set<() => void>
  readonly listener: () => void
}

/**
 * Listens to signals, to each of them once: calls of one turn share theirs, and Node warns of a leak at the eleventh
 * listener.
 */
export class Aborts {
  readonly #shared = new WeakMap<AbortSignal, Shared>()

  /** Returns what ends the subscription. */
  add(signal: AbortSignal, abort: () => void): () => void {
    const { callers, listener } = this.#shared.get(signal) ?? this.#listen(signal)
    // The same function may be added twice.
    const caller = () => abort()
    callers.add(caller)
    return () => {
      callers.delete(caller)
      if (callers.size > 0) return
      signal.removeEventListener('abort', listener)
      this.#shared.delete(signal)
    }
  }

  #listen(signal: AbortSignal): Shared {
    const callers = new Set<() => void>()
    const listener = () => {
      for (const caller of [...callers]) caller()
    }
    signal.addEventListener('abort', listener, { once: true })
    const shared = { callers, listener }
    this.#shared.set(signal, shared)
    return shared
  }
}
