/** What is asked of a signal in here. Every `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * A signal and its switch in one. Each call needs several, and those of Node cost more than the rest of a call: they are
 * events of a web page, and their memory is freed late.
 */
export class Cancel implements CancelSignal {
  #aborted = false
  #reason: unknown
  #listeners: Set<() => void> | undefined

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** Once; each listener hears it once. */
  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    const listeners = this.#listeners
    this.#listeners = undefined
    for (const listener of listeners ?? []) listener()
  }
}
