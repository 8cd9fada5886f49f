import { compareText, createReporter } from '@ext/kernel'
import type { Diagnostic, FilesPort, FolderSource, Source } from '@ext/kernel/types'
import { diagnosticCodes } from '../../codes.js'

const report = createReporter(diagnosticCodes)

/** Depth of the deepest folder that is looked into; the source itself has 0. */
const MAX_DEPTH = 6
const MAX_FILES = 1000
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules'])

export interface FoundFiles {
  readonly state: 'read' | 'missing' | 'failed'
  /** Paths of `*.md` files. Where names clash, the later one is to win: the one nearest to the root, first by name. */
  readonly files: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Walks a folder, level by level. What can be reached in several ways (links) is found once. The answer does not depend
 * on the order in which a file system lists its folders.
 */
export async function findAgentFiles(root: FolderSource, files: FilesPort): Promise<FoundFiles> {
  const real = await files.realPath(root.path)
  if (real === undefined) return { state: 'missing', files: [], diagnostics: [] }
  const place = (file: string): Source => ({ layer: root.layer, file })
  const diagnostics: Diagnostic[] = []
  const found: string[] = []
  const seen = new Set([real])
  /** Nobody else has come this way. A link that leads nowhere is its own place. */
  const claim = async (path: string): Promise<boolean> => {
    const target = (await files.realPath(path)) ?? path
    return !seen.has(target) && Boolean(seen.add(target))
  }
  const ended = (state: FoundFiles['state']) => ({ state, files: found.toReversed(), diagnostics })

  let level: readonly string[] = [root.path]
  for (let depth = 0; level.length > 0; depth++) {
    const below: string[] = []
    for (const folder of level) {
      const items = await files.list(folder)
      if (!items) {
        diagnostics.push(unreadable(place(folder)))
        if (depth === 0) return ended('failed')
        continue
      }
      for (const { name, kind } of items.toSorted((a, b) => compareText(a.name, b.name))) {
        const path = joinPath(folder, name)
        if (kind === 'folder') {
          if (!SKIPPED_FOLDERS.has(name) && (await claim(path))) below.push(path)
        } else if (/\.md$/i.test(name) && (await claim(path))) {
          if (found.length === MAX_FILES) {
            diagnostics.push(tooMany(place(path)))
            return ended('read')
          }
          found.push(path)
        }
      }
    }
    const [first] = below
    if (depth === MAX_DEPTH && first !== undefined) {
      diagnostics.push(tooDeep(place(first)))
      break
    }
    level = below
  }
  return ended('read')
}

/** With `/`, which every platform reads; roots may come with the platform's own. */
function joinPath(folder: string, name: string): string {
  return /[\\/]$/.test(folder) ? folder + name : `${folder}/${name}`
}

function unreadable(place: Source): Diagnostic {
  const message = 'The folder cannot be listed, so its agents are not found.'
  const hint = 'Put a folder here that this user may read.'
  return report.error('agents.folder.unreadable', place, message, { hint })
}

function tooMany(place: Source): Diagnostic {
  const message = `There are more than ${MAX_FILES} agent files; from this one on they are not read.`
  const hint = 'Point the source at the folder that holds the agents, or split it into several sources.'
  return report.warning('agents.limit.files', place, message, { hint })
}

function tooDeep(place: Source): Diagnostic {
  const message = `Folders below depth ${MAX_DEPTH} are not searched; this is the first.`
  const hint = 'Move the agents nearer to the agents folder, or add this folder as a source.'
  return report.warning('agents.limit.depth', place, message, { hint })
}
