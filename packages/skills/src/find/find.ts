import { compareText, createPace, inTurns, layerRank, lookAtFolders, messageOf, type Pace } from '@ext/kernel'
import type { Diagnostic, FilesPort, FolderSource, ListedItem } from '@ext/kernel/types'
import { Claims } from './claims.js'
import { type SearchLimits, SKIPPED_FOLDERS } from './limits.js'
import { baseName, joinPath, joinRealPath } from './paths.js'
import { findReports } from './reports.js'
import { type FoundFile, findSkillFile, isSkillFile } from './skill-file.js'
import { Traces } from './traces.js'

/** A SKILL.md, with the stamp of its folder. */
export interface FoundSkill {
  readonly file: string
  /** What the path starts with, up to the name of its folder. */
  readonly beside: string
  readonly folder: number | undefined
}

export interface FoundSkills {
  readonly state: 'read' | 'missing' | 'failed'
  /** Where names clash, the later one is to win. */
  readonly skills: readonly FoundSkill[]
  /** A SKILL.md that can't be a skill where it is. */
  readonly broken: readonly { readonly file: string; readonly diagnostic: Diagnostic }[]
  readonly diagnostics: readonly Diagnostic[]
  /** The other folders that were listed, for whoever wants to know later whether something has changed. */
  readonly folders: Traces
}

/**
 * Walks all roots, the nearest first, so that a folder which can be reached in several ways (links, nested roots) is
 * found once, in the nearest. The answer does not depend on the order in which a file system lists its folders.
 */
export async function findSkills(
  roots: readonly FolderSource[],
  files: FilesPort,
  limits: SearchLimits,
  pace: Pace = createPace(),
): Promise<ReadonlyMap<FolderSource, FoundSkills>> {
  const claims = new Claims()
  const found = new Map<FolderSource, FoundSkills>()
  const nearestFirst = roots.toSorted((a, b) => layerRank(a.layer) - layerRank(b.layer)).reverse()
  for (const root of nearestFirst) {
    const walk = new Walk(root, { files, limits, claims, pace })
    found.set(root, await walk.run().catch((error: unknown) => walk.failed(error)))
  }
  return found
}

interface Place {
  readonly path: string
  /** With links resolved. */
  readonly real: string
}

interface Folder extends Place {
  /** What the path starts with, up to the name of the folder. */
  readonly beside: string
}

interface InnerFolder extends Place {
  readonly link: boolean
}

interface ItemsOf<F extends Place = Place> {
  readonly folder: F
  /** Sorted by name. */
  readonly items: readonly ListedItem[]
}

interface Listing extends ItemsOf<Folder> {
  readonly stamp: number | undefined
}

interface WalkHost {
  readonly files: FilesPort
  readonly limits: SearchLimits
  readonly claims: Claims
  readonly pace: Pace
}

/** Folders that are looked at before the first of them is judged: few, so that little of it is in memory. */
const AT_ONCE = 32

/** One root, level by level: a skill nearer to the root is found before one that lies deeper. */
class Walk {
  readonly #root: FolderSource
  readonly #files: FilesPort
  readonly #limits: SearchLimits
  /** Of all roots. */
  readonly #claims: Claims
  readonly #report: ReturnType<typeof findReports>
  readonly #skills: FoundSkill[] = []
  readonly #broken: { readonly file: string; readonly diagnostic: Diagnostic }[] = []
  readonly #diagnostics: Diagnostic[] = []
  readonly #pace: Pace
  readonly #visited = new Traces()
  /** Folders inside of skills. */
  #inner: InnerFolder[] = []
  #folders = 0

  constructor(root: FolderSource, { files, limits, claims, pace }: WalkHost) {
    this.#root = root
    this.#files = files
    this.#limits = limits
    this.#claims = claims
    this.#pace = pace
    this.#report = findReports(root)
  }

  async run(): Promise<FoundSkills> {
    const real = await this.#files.realPath(this.#root.path)
    if (real === undefined) {
      this.#visited.add(this.#root.path, undefined)
      return this.#result('missing')
    }
    let level: readonly Folder[] = this.#claims.elsewhere(real) ? [{ path: this.#root.path, beside: '', real }] : []
    for (let depth = 0; level.length > 0; depth++) {
      const open: Listing[] = []
      for (let start = 0; start < level.length; start += AT_ONCE) {
        const listings = await this.#list(level.slice(start, start + AT_ONCE), depth)
        if (depth === 0 && listings.length === 0) return this.#result('failed')
        // One after the other: whoever comes first claims a file that can be reached in two ways.
        await inTurns(listings, this.#pace, (listing) => {
          const found = findSkillFile(listing.items)
          if (found?.item.link) {
            return this.#targetOf(listing, found.item).then((target) => {
              if (!this.#takeSkill(listing, found, depth, target)) open.push(listing)
            })
          }
          if (!found || !this.#takeSkill(listing, found, depth)) open.push(listing)
          return undefined
        })
      }
      for (const { folder, stamp } of open) this.#visited.add(folder.path, stamp)
      await this.#reportDangling(open)
      level = await this.#below(open, depth)
    }
    await this.#reportNested()
    return this.#result('read')
  }

  /** A port that throws costs the root that it was asked about. */
  failed(error: unknown): FoundSkills {
    const diagnostics = [this.#report.unreadable(this.#root.path, messageOf(error))]
    const folders = new Traces()
    folders.add(this.#root.path, undefined)
    return { state: 'failed', skills: [], broken: [], diagnostics, folders }
  }

  #result(state: FoundSkills['state']): FoundSkills {
    const [broken, diagnostics, folders] = [this.#broken, this.#diagnostics, this.#visited]
    return { state, skills: this.#skills.reverse(), broken, diagnostics, folders }
  }

  async #list(level: readonly Folder[], depth: number): Promise<readonly Listing[]> {
    // To the folder of a skill, no more can come that matters than a second SKILL.md in another case.
    const options = depth === 0 ? {} : { byTime: holdsSkill }
    const looks = await lookAtFolders(this.#files, level.map(pathOf), options)
    const listings: Listing[] = []
    level.forEach((folder, index) => {
      const look = looks[index]
      if (look?.state === 'listed') listings.push({ folder, items: sortedByName(look.items), stamp: look.stamp })
      else {
        this.#visited.add(folder.path, undefined)
        this.#diagnostics.push(this.#report.unreadable(folder.path))
      }
    })
    return listings
  }

  async #targetOf({ folder }: Listing, item: ListedItem): Promise<string> {
    const path = joinPath(folder.path, item.name)
    return (await this.#files.realPath(path)) ?? path
  }

  /**
   * Whether there is a SKILL.md that takes the folder. What lies inside a skill belongs to it, so nothing below is searched.
   */
  #takeSkill(listing: Listing, { item, problem }: FoundFile<ListedItem>, depth: number, target?: string): boolean {
    const { folder, stamp } = listing
    const file = joinPath(folder.path, item.name)
    if (depth === 0) {
      // A stray file must not hide every skill of the root.
      this.#broken.push({ file, diagnostic: this.#report.misplaced(file) })
      return false
    }
    const isAmbiguous = problem === 'ambiguous'
    if (isAmbiguous) this.#broken.push({ file, diagnostic: this.#report.ambiguous(file) })
    if (isAmbiguous || !this.#claimFile(listing, file, target)) {
      this.#visited.add(folder.path, stamp)
      return true
    }
    if (problem === 'case') this.#diagnostics.push(this.#report.wrongCase(file))
    this.#skills.push({ file, beside: folder.beside, folder: stamp })
    // Most skills are one file. What is called SKILL.md may be a folder.
    if (listing.items.length > 1 || item.kind === 'folder') this.#inner.push(...subfolders(listing))
    return true
  }

  #claimFile({ folder }: Listing, file: string, target: string | undefined): boolean {
    if (target !== undefined) return this.#claims.elsewhere(target)
    // What is no link lies where it is found, and only a link can lead to it a second time.
    return this.#claims.direct(folder.real === folder.path ? file : joinRealPath(folder.real, baseName(file)))
  }

  /** A SKILL.md inside a skill is one of its files. Somebody may have meant it to be a skill all the same. */
  async #reportNested(): Promise<void> {
    let looked = 0
    for (let depth = 0; this.#inner.length > 0 && depth < this.#limits.depth; depth++) {
      const inner = this.#inner.slice(0, this.#limits.folders - looked)
      const level: InnerFolder[] = []
      for (const folder of inner) {
        // A link may lead out of the skill.
        if (!folder.link || (await this.#files.realPath(folder.path)) === folder.real) level.push(folder)
      }
      looked += inner.length
      this.#inner = []
      const looks = await lookAtFolders(this.#files, level.map(pathOf), { byTime: () => true })
      for (const [index, folder] of level.entries()) {
        const look = looks[index]
        if (look?.state !== 'listed') continue
        const listing = { folder, items: sortedByName(look.items) }
        const found = findSkillFile(listing.items)
        if (found) {
          this.#diagnostics.push(this.#report.nested(joinPath(folder.path, found.item.name)))
          // Whoever moves it away is not to hear of it again. Other folders of a skill are not looked at a second time.
          this.#visited.add(folder.path, look.stamp)
        }
        this.#inner.push(...subfolders(listing))
      }
    }
  }

  async #reportDangling(listings: readonly Listing[]): Promise<void> {
    for (const { folder, items } of listings) {
      for (const item of items) {
        if (item.kind !== 'other' || !item.link || isSkillFile(item)) continue
        const path = joinPath(folder.path, item.name)
        if ((await this.#files.realPath(path)) === undefined) this.#diagnostics.push(this.#report.dangling(path))
      }
    }
  }

  /** The folders of the next level. */
  async #below(listings: readonly Listing[], depth: number): Promise<readonly Folder[]> {
    const own: Folder[] = []
    const linked: Folder[] = []
    for (const { folder, items } of listings) {
      const beside = joinPath(folder.path, '')
      await inTurns(items, this.#pace, (item) => {
        if (item.kind !== 'folder' || SKIPPED_FOLDERS.has(item.name)) return undefined
        const path = beside + item.name
        const real = folder.real === folder.path ? path : joinRealPath(folder.real, item.name)
        if (item.link) {
          return this.#files.realPath(path).then((target = path) => {
            ;(target === real ? own : linked).push({ path, beside, real: target })
          })
        }
        own.push({ path, beside, real })
        return undefined
      })
    }
    // A folder itself goes before links to it: its own name is the one that its author gave.
    const children = [...own.sort(byPath), ...linked.sort(byPath)]
    const [first] = children
    if (first && depth === this.#limits.depth) {
      this.#diagnostics.push(this.#report.tooDeep(first.path, this.#limits.depth))
      return []
    }
    const level: Folder[] = []
    let isFull = false
    await inTurns(children, this.#pace, (folder, index) => {
      if (isFull) return
      const { path, real } = folder
      if (this.#folders === this.#limits.folders) {
        if (this.#claims.has(real)) return
        isFull = true
        this.#diagnostics.push(this.#report.tooMany(path, this.#limits.folders))
      } else if (index < own.length ? this.#claims.direct(real) : this.#claims.elsewhere(real)) {
        this.#folders++
        level.push(folder)
      }
    })
    return level
  }
}

function holdsSkill(items: readonly ListedItem[]): boolean {
  return items.some(isSkillFile)
}

function subfolders({ folder, items }: ItemsOf): readonly InnerFolder[] {
  return items
    .filter(({ kind, name }) => kind === 'folder' && !SKIPPED_FOLDERS.has(name))
    .map(({ name, link }) => ({ path: joinPath(folder.path, name), real: joinRealPath(folder.real, name), link }))
}

function pathOf({ path }: Place): string {
  return path
}

function byPath(a: Folder, b: Folder): number {
  return compareText(a.path, b.path)
}

/** A port may list in any order. */
function sortedByName(items: readonly ListedItem[]): readonly ListedItem[] {
  for (let index = 1; index < items.length; index++) {
    if ((items[index - 1]?.name ?? '') > (items[index]?.name ?? '')) return items.toSorted(byName)
  }
  return items
}

function byName(a: ListedItem, b: ListedItem): number {
  return compareText(a.name, b.name)
}
