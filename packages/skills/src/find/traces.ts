import type { Look } from '@ext/kernel/types'

/** Paths that were looked at, with their stamps. Thousands of them stay in memory, so they are two rows and no objects. */
export class Traces {
  readonly #paths: string[] = []
  /** NaN stands for no stamp: nobody can tell whether it is the same again. */
  readonly #stamps: number[] = []

  add(path: string, stamp: number | undefined): void {
    this.#paths.push(path)
    this.#stamps.push(stamp ?? Number.NaN)
  }

  get complete(): boolean {
    return !this.#stamps.some(Number.isNaN)
  }

  /** To look again. */
  looks(): readonly Look[] {
    return this.#paths.map((path, index) => {
      const stamp = this.#stamps[index]
      return { path, stamp: Number.isNaN(stamp) ? undefined : stamp }
    })
  }
}
