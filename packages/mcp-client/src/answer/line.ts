/** Questions to a person: one after the other, and not without end. */
export class Line {
  readonly #max: number
  #last: Promise<unknown> = Promise.resolve()
  #length = 0

  /** @param max how many may wait or be asked at a time */
  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#length >= this.#max
  }

  /** Does the work once all that came before is over. */
  add<T>(work: () => Promise<T>): Promise<T> {
    this.#length++
    const turn = this.#last.then(work)
    this.#last = turn
      .catch(() => {})
      .finally(() => {
        this.#length--
      })
    return turn
  }
}
