import type { Stamped } from '@ext/kernel/types'
import { folderOf } from './paths.js'

/** Paths that were looked at, with their stamps. Thousands of them stay in memory, so they are rows and no objects. */
export class Traces {
  readonly #paths: string[] = []
  readonly #stamps: number[] = []
  readonly #unknown: string[] = []

  add(path: string, stamp: number | undefined): void {
    if (stamp === undefined) {
      this.#unknown.push(path)
      return
    }
    this.#paths.push(path)
    this.#stamps.push(stamp)
  }

  /** Those without a stamp. */
  get unknown(): readonly string[] {
    return this.#unknown
  }

  /** Those with one. */
  looks(): readonly Stamped[] {
    return this.#paths.map((path, index) => ({ path, stamp: this.#stamps[index] ?? 0 }))
  }
}

/** What is known of a skill by what is kept of it anyway, or by its path. */
type SkillFile = string | { readonly file: string }

/** Skills that are looked at again in one go. */
const AT_ONCE = 32

/** The same for the folders of skills and the files in them. */
export class SkillTraces {
  readonly #skills: SkillFile[] = []
  readonly #folders: number[] = []
  readonly #files: number[] = []
  #complete = true

  add(skill: SkillFile, folder: number | undefined, file: number | undefined): void {
    if (folder === undefined || file === undefined) this.#complete = false
    if (!this.#complete) return
    this.#skills.push(skill)
    this.#folders.push(folder ?? 0)
    this.#files.push(file ?? 0)
  }

  /** Whether all of them can be told to be the same again. */
  get complete(): boolean {
    return this.#complete
  }

  /** Some at a time. */
  *looks(): Generator<readonly Stamped[]> {
    for (let start = 0; start < this.#skills.length; start += AT_ONCE) {
      const looks: Stamped[] = []
      const end = Math.min(start + AT_ONCE, this.#skills.length)
      for (let index = start; index < end; index++) {
        const path = pathOf(this.#skills[index] ?? '')
        looks.push({ path: folderOf(path), stamp: this.#folders[index] ?? 0 })
        looks.push({ path, stamp: this.#files[index] ?? 0 })
      }
      yield looks
    }
  }
}

function pathOf(skill: SkillFile): string {
  return typeof skill === 'string' ? skill : skill.file
}
