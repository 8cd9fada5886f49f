import type { SessionRef } from '@ext/kernel/contract'
import { compileIgnoreFile, type IgnoreFile, samenessOfNames } from '@ext/kernel/match'
import type { FileHost } from '../files/host.js'
import type { Place } from '../files/place.js'
import { count } from '../files/result.js'
import { createTurns } from './turns.js'

/** A file below the folder that is searched. */
export interface WalkedFile {
  /** From the folder down to the file. */
  readonly names: readonly string[]
  readonly real: string
}

/** What a walk has come across besides. */
export interface WalkNotes {
  closed: number
  hidden: number
  /** The limit of items was reached. */
  cutShort: boolean
}

/** Folders of version control, which hold no file that a person works on; in a worktree, `.git` is a file. */
const NOT_ENTERED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj'])
const IGNORE_FILE = '.gitignore'
const MAX_IGNORE_BYTES = 1024 * 1024
/** A folder that is deeper holds nothing that a person put there. */
const MAX_DEPTH = 200

interface Folder {
  readonly names: readonly string[]
  readonly real: string
  /** Nearest first. */
  readonly rules: readonly Rules[]
}

interface Rules {
  readonly file: IgnoreFile
  /** How many names of a path lead to its folder, counted from the folder that is searched; negative above it. */
  readonly depth: number
  /** From the folder of the file down to the one that is searched. */
  readonly above: readonly string[]
}

/**
 * The files below a folder, sorted by name, folder by folder, in the order of their bytes. Links are not followed; what
 * `.gitignore` files name is left out, and hidden files are not.
 */
export async function* walk(
  start: Place,
  session: SessionRef,
  signal: AbortSignal,
  host: FileHost,
  notes: WalkNotes,
): AsyncGenerator<WalkedFile> {
  const { ignoreCase } = samenessOfNames(host.platform)
  const turns = createTurns(host.clock)
  const may = mayFind(start, session, host)
  let left = host.limits.searchItems
  const stack: (Folder | WalkedFile)[] = [{ names: [], real: start.real, rules: await rulesAbove(start, host) }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    signal.throwIfAborted()
    if (!('rules' in next)) {
      yield next
      continue
    }
    await turns.pass()
    const { names, real } = next
    const items = names.length > MAX_DEPTH ? undefined : await host.files.list(real)
    if (!items) {
      notes.closed++
      continue
    }
    const own = items.some(({ name, kind }) => name === IGNORE_FILE && kind === 'file')
      ? await readRules(joined(real, IGNORE_FILE), host, ignoreCase)
      : undefined
    const rules = own ? [{ file: own, depth: names.length, above: [] }, ...next.rules] : next.rules
    const found: (Folder | WalkedFile)[] = []
    for (const [index, { name, kind }] of items.entries()) {
      if (index % 64 === 63) {
        await turns.pass()
        signal.throwIfAborted()
      }
      if (left-- <= 0) {
        notes.cutShort = true
        break
      }
      if (kind !== 'file' && kind !== 'folder') continue
      const path = [...names, name]
      if (NOT_ENTERED.has(name) || isIgnored(path, kind === 'folder', rules)) continue
      if (kind === 'folder') found.push({ names: path, real: joined(real, name), rules })
      else if (may(path)) found.push({ names: path, real: joined(real, name) })
      else notes.hidden++
    }
    // One by one: so many arguments as a folder may have items no function takes.
    for (const item of found.reverse()) stack.push(item)
  }
}

/** Asks by the path as it was named, and by where it really is, in the words in which rules speak of the workspace. */
function mayFind(start: Place, session: SessionRef, host: FileHost): (names: readonly string[]) => boolean {
  const { path, real, root } = start
  const there = real.startsWith(root.real === '/' ? '/' : `${root.real}/`) || real === root.real
  const really = there ? joined(root.path, real.slice(root.real.length).replace(/^\//, '')) : real
  const folders = [...new Set([path, really])]
  return (names) => folders.every((folder) => host.mayFind(joined(folder, names.join('/')), session))
}

function isIgnored(names: readonly string[], isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { file, depth, above } of rules) {
    const verdict = file.verdict(depth >= 0 ? names.slice(depth) : [...above, ...names], isFolder)
    if (verdict) return verdict === 'ignored'
  }
  return false
}

/** What the folders above say, up to the top of the repository, or of the root if there is none. */
async function rulesAbove({ real, root }: Place, host: FileHost): Promise<readonly Rules[]> {
  const { ignoreCase } = samenessOfNames(host.platform)
  const names = real
    .split('/')
    .slice(1)
    .filter((name) => name !== '')
  const folders = names.map((_, length) => ({
    path: `/${names.slice(0, length).join('/')}`,
    above: names.slice(length),
  }))
  const chain = [...folders, { path: real, above: [] }]
  let top = chain.findIndex(({ path }) => path === root.real)
  for (let at = chain.length - 1; at >= 0; at--) {
    if (!(await host.files.stat(joined(chain[at]?.path ?? '', '.git')))) continue
    top = at
    break
  }
  const rules: Rules[] = []
  for (const [index, { path, above }] of chain.entries()) {
    if (index < top) continue
    if (index === top) {
      const file = await readRules(joined(path, '.git/info/exclude'), host, ignoreCase)
      if (file) rules.unshift({ file, depth: -above.length, above })
    }
    // That of the folder itself is read on the way.
    if (above.length === 0) continue
    const file = await readRules(joined(path, IGNORE_FILE), host, ignoreCase)
    if (file) rules.unshift({ file, depth: -above.length, above })
  }
  return rules
}

async function readRules(path: string, { files }: FileHost, ignoreCase: boolean): Promise<IgnoreFile | undefined> {
  const read = await files.read(path, (file) => file.read(0, MAX_IGNORE_BYTES))
  return read.failure === undefined
    ? compileIgnoreFile(new TextDecoder().decode(read.value), { ignoreCase })
    : undefined
}

export function joined(folder: string, name: string): string {
  if (name === '') return folder
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}

/** What the model has to know of what it does not see. */
export function describeNotes({ closed, hidden, cutShort }: WalkNotes, { limits }: FileHost): readonly string[] {
  return [
    ...(hidden > 0 ? [`left out, since they may not be read: ${count(hidden, 'file')}`] : []),
    ...(closed > 0 ? [`can't be listed: ${count(closed, 'folder')}`] : []),
    ...(cutShort
      ? [
          `only the first ${count(limits.searchItems, 'file or folder', 'files and folders')} were looked at; search a smaller folder`,
        ]
      : []),
  ]
}
