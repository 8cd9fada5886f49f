import { compareText } from '@ext/kernel'
import type { FilesPort } from '@ext/kernel/types'
import { MAX_DEPTH, SKIPPED_FOLDERS } from './find/limits.js'
import { isInside, joinPath } from './find/paths.js'
import { isSkillFile } from './find/skill-file.js'

const MAX_LISTED = 50

export interface Resources {
  readonly resources: readonly string[]
  readonly moreResources: boolean
}

/**
 * The files beside SKILL.md by their paths relative to the folder, nearest first. Nothing is read. A folder that a
 * link takes out of the skill is not entered.
 */
export async function listResources(folder: string, files: FilesPort): Promise<Resources> {
  const root = await files.realPath(folder)
  const resources: string[] = []
  const seen = new Set([root])
  let level = ['']
  for (let depth = 0; root !== undefined && level.length > 0 && depth <= MAX_DEPTH; depth++) {
    const below: string[] = []
    for (const parent of level) {
      const items = await files.list(joinPath(folder, parent))
      for (const item of items?.toSorted((a, b) => compareText(a.name, b.name)) ?? []) {
        const path = parent + item.name
        if (item.kind === 'file' && !(parent === '' && isSkillFile(item))) {
          if (resources.length === MAX_LISTED) return { resources, moreResources: true }
          resources.push(path)
        }
        if (item.kind !== 'folder' || SKIPPED_FOLDERS.has(item.name)) continue
        const real = await files.realPath(joinPath(folder, path))
        if (real === undefined || !isInside(real, root) || seen.has(real)) continue
        seen.add(real)
        below.push(`${path}/`)
      }
    }
    level = below
  }
  return { resources, moreResources: level.length > 0 }
}
