/** Remembers the last results of a function of a text. */
export class Memo<T> {
  readonly #limit: number
  readonly #known = new Map<string, T>()

  /** @param limit how many results are kept */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string, make: () => T): T {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = make()
    // The oldest goes: a map keeps the order in which its keys came.
    if (this.#known.size >= this.#limit) for (const oldest of this.#known.keys()) return this.#replace(oldest, key, made)
    this.#known.set(key, made)
    return made
  }

  #replace(oldest: string, key: string, made: T): T {
    this.#known.delete(oldest)
    this.#known.set(key, made)
    return made
  }
}
