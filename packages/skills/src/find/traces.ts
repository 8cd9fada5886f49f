import type { Look } from '@ext/kernel/types'
import { folderOf } from './paths.js'

/** Paths that were looked at, with their stamps. Thousands of them stay in memory, so they are rows and no objects. */
export class Traces {
  readonly #paths: string[] = []
  readonly #stamps: number[] = []

  add(path: string, stamp: number | undefined): void {
    this.#paths.push(path)
    this.#stamps.push(toRow(stamp))
  }

  /** To look again. */
  looks(): readonly Look[] {
    return this.#paths.map((path, index) => toLook(path, this.#stamps[index]))
  }
}

/** What is known of a skill by what is kept of it anyway, or by its path. */
type SkillFile = string | { readonly file: string }

/** The same for the folders of skills and the files in them. */
export class SkillTraces {
  readonly #skills: SkillFile[] = []
  readonly #folders: number[] = []
  readonly #files: number[] = []

  add(skill: SkillFile, folder: number | undefined, file: number | undefined): void {
    this.#skills.push(skill)
    this.#folders.push(toRow(folder))
    this.#files.push(toRow(file))
  }

  /** Whether the files can be told to be the same again. */
  get complete(): boolean {
    return !this.#files.some(Number.isNaN)
  }

  /** To look again. */
  looks(): { readonly folders: readonly Look[]; readonly files: readonly Look[] } {
    // A path that is put together again is put together once.
    const paths = this.#skills.map(pathOf)
    return {
      folders: paths.map((path, index) => toLook(folderOf(path), this.#folders[index])),
      files: paths.map((path, index) => toLook(path, this.#files[index])),
    }
  }
}

/** NaN stands for no stamp: nobody can tell whether it is the same again. */
function toRow(stamp: number | undefined): number {
  return stamp ?? Number.NaN
}

function toLook(path: string, stamp: number | undefined): Look {
  return { path, stamp: Number.isNaN(stamp) ? undefined : stamp }
}

function pathOf(skill: SkillFile): string {
  return typeof skill === 'string' ? skill : skill.file
}
