import { compareText, layerRank } from '@ext/kernel'
import type { Diagnostic, FilesPort, FolderItem, FolderSource } from '@ext/kernel/types'
import { MAX_DEPTH, SKIPPED_FOLDERS } from './limits.js'
import { joinPath } from './paths.js'
import { findReports } from './reports.js'
import { findSkillFile, isSkillFile } from './skill-file.js'

/** For each root, without the root itself. */
const MAX_FOLDERS = 2000

export interface FoundSkills {
  readonly state: 'read' | 'missing' | 'failed'
  /** Paths of SKILL.md files; where names clash, the later one is to win. */
  readonly files: readonly string[]
  /** A SKILL.md that can't be a skill where it is. */
  readonly broken: readonly { readonly file: string; readonly diagnostic: Diagnostic }[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Walks all roots, the nearest first, so that a folder which can be reached in several ways (links, nested roots) is
 * found once, in the nearest. The answer does not depend on the order in which a file system lists its folders.
 */
export async function findSkills(
  roots: readonly FolderSource[],
  files: FilesPort,
): Promise<ReadonlyMap<FolderSource, FoundSkills>> {
  const seen = new Set<string>()
  const found = new Map<FolderSource, FoundSkills>()
  const nearestFirst = roots.toSorted((a, b) => layerRank(a.layer) - layerRank(b.layer)).reverse()
  for (const root of nearestFirst) found.set(root, await new Walk(root, files, seen).run())
  return found
}

interface Folder {
  readonly path: string
  /** With links resolved. */
  readonly real: string
}

interface Listing {
  readonly folder: Folder
  readonly items: readonly FolderItem[]
}

/** One root, level by level: a skill nearer to the root is found before one that lies deeper. */
class Walk {
  readonly #root: FolderSource
  readonly #files: FilesPort
  /** Real paths of folders and SKILL.md files, of all roots. */
  readonly #seen: Set<string>
  readonly #report: ReturnType<typeof findReports>
  readonly #skills: string[] = []
  readonly #broken: { readonly file: string; readonly diagnostic: Diagnostic }[] = []
  readonly #diagnostics: Diagnostic[] = []
  #folders = 0

  constructor(root: FolderSource, files: FilesPort, seen: Set<string>) {
    this.#root = root
    this.#files = files
    this.#seen = seen
    this.#report = findReports(root)
  }

  async run(): Promise<FoundSkills> {
    const real = await this.#files.realPath(this.#root.path)
    if (real === undefined) return this.#result('missing')
    let level: readonly Folder[] = this.#claim(real) ? [{ path: this.#root.path, real }] : []
    for (let depth = 0; level.length > 0; depth++) {
      const listings = await this.#list(level)
      if (depth === 0 && listings.length === 0) return this.#result('failed')
      const open: Listing[] = []
      // One after the other: whoever comes first claims a file that can be reached in two ways.
      for (const listing of listings) if (!(await this.#takeSkill(listing, depth))) open.push(listing)
      await this.#reportDangling(open)
      level = await this.#below(open, depth)
    }
    return this.#result('read')
  }

  #result(state: FoundSkills['state']): FoundSkills {
    return { state, files: this.#skills.toReversed(), broken: this.#broken, diagnostics: this.#diagnostics }
  }

  #claim(real: string): boolean {
    if (this.#seen.has(real)) return false
    this.#seen.add(real)
    return true
  }

  async #list(level: readonly Folder[]): Promise<readonly Listing[]> {
    const listed = await Promise.all(level.map((folder) => this.#files.list(folder.path)))
    return level.flatMap((folder, index) => {
      const items = listed[index]?.toSorted((a, b) => compareText(a.name, b.name))
      if (items) return [{ folder, items }]
      this.#diagnostics.push(this.#report.unreadable(folder.path))
      return []
    })
  }

  /** Whether the folder is a skill. What lies inside a skill belongs to it, so nothing below is searched. */
  async #takeSkill({ folder, items }: Listing, depth: number): Promise<boolean> {
    const found = findSkillFile(items)
    if (!found) return false
    const file = joinPath(folder.path, found.name)
    if (depth === 0) {
      // A stray file must not hide every skill of the root.
      this.#broken.push({ file, diagnostic: this.#report.misplaced(file) })
      return false
    }
    if (found.problem === 'ambiguous') {
      this.#broken.push({ file, diagnostic: this.#report.ambiguous(file) })
      return true
    }
    if (!this.#claim((await this.#files.realPath(file)) ?? file)) return true
    if (found.problem === 'case') this.#diagnostics.push(this.#report.wrongCase(file))
    this.#skills.push(file)
    return true
  }

  async #reportDangling(listings: readonly Listing[]): Promise<void> {
    for (const { folder, items } of listings) {
      for (const item of items) {
        if (item.kind !== 'other' || isSkillFile(item)) continue
        const path = joinPath(folder.path, item.name)
        if ((await this.#files.realPath(path)) === undefined) this.#diagnostics.push(this.#report.dangling(path))
      }
    }
  }

  /** The folders of the next level. */
  async #below(listings: readonly Listing[], depth: number): Promise<readonly Folder[]> {
    const children = listings.flatMap(({ folder, items }) =>
      items
        .filter((item) => item.kind === 'folder' && !SKIPPED_FOLDERS.has(item.name))
        .map((item) => ({ path: joinPath(folder.path, item.name), own: joinPath(folder.real, item.name) })),
    )
    const first = children[0]
    if (first && depth === MAX_DEPTH) {
      this.#diagnostics.push(this.#report.tooDeep(first.path, MAX_DEPTH))
      return []
    }
    const resolved = await Promise.all(
      children.map(async ({ path, own }) => {
        const real = (await this.#files.realPath(path)) ?? path
        return { path, real, linked: real !== own }
      }),
    )
    // A folder itself goes before links to it: its own name is the one that its author gave.
    resolved.sort((a, b) => Number(a.linked) - Number(b.linked) || compareText(a.path, b.path))
    const level: Folder[] = []
    for (const { path, real } of resolved) {
      if (this.#seen.has(real)) continue
      if (this.#folders === MAX_FOLDERS) {
        this.#diagnostics.push(this.#report.tooMany(path, MAX_FOLDERS))
        break
      }
      this.#folders++
      this.#claim(real)
      level.push({ path, real })
    }
    return level
  }
}
