import type { Look } from '@ext/kernel/types'
import { folderOf } from './paths.js'

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

/** Folders that were looked at. That of a skill is known by the path of its file, which stays in memory anyway. */
export class FolderTraces {
  readonly #folders = new Traces()
  readonly #ofFiles = new Traces()

  add(folder: string, stamp: number | undefined): void {
    this.#folders.add(folder, stamp)
  }

  addOf(file: string, stamp: number | undefined): void {
    this.#ofFiles.add(file, stamp)
  }

  looks(): readonly Look[] {
    const ofFiles = this.#ofFiles.looks().map(({ path, stamp }) => ({ path: folderOf(path), stamp }))
    return [...this.#folders.looks(), ...ofFiles]
  }
}
