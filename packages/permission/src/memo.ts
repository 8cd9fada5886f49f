/** Remembers the last results of a function of a text: many of short ones, and the last of a long one. */
export class Memo<T> {
  readonly #count: number
  readonly #length: number
  readonly #known = new Map<string, T>()
  #long: { readonly key: string; readonly made: T } | undefined

  /**
   * @param options.count how many results are kept
   * @param options.length of a text that counts as short, in UTF-16 units
   */
  constructor(options: { readonly count: number; readonly length: number }) {
    this.#count = options.count
    this.#length = options.length
  }

  get(key: string, make: () => T): T {
    if (key.length > this.#length) {
      if (this.#long?.key !== key) this.#long = { key, made: make() }
      return this.#long.made
    }
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = make()
    // The oldest goes: a map keeps the order in which its keys came.
    const [oldest] = this.#known.size >= this.#count ? this.#known.keys() : []
    if (oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(key, made)
    return made
  }
}
