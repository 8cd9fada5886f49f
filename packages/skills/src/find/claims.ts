/**
 * Who comes first to a folder or a SKILL.md that can be reached in several ways, by its real path. A text costs something
 * in a set, and what lies where it is found can't be met a second time but through a link or another root: so nothing is
 * looked up until there is one.
 */
export class Claims {
  readonly #known = new Set<string>()
  /** Claimed, and not among the known yet. */
  #pending: string[] = []

  /** For what lies where it is found, in a folder that has been claimed. @returns whether nobody had it */
  direct(real: string): boolean {
    if (this.#known.size > 0 && this.#known.has(real)) return false
    this.#pending.push(real)
    return true
  }

  /** For roots, and for what links lead to. @returns whether nobody had it */
  elsewhere(real: string): boolean {
    if (this.has(real)) return false
    // The first root of all is the only one that everything else lies in.
    if (this.#known.size === 0) this.#pending.push(real)
    else this.#known.add(real)
    return true
  }

  has(real: string): boolean {
    for (const each of this.#pending) this.#known.add(each)
    this.#pending = []
    return this.#known.has(real)
  }
}
