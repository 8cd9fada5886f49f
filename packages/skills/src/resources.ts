import { compareText } from '@ext/kernel'
import type { FilesPort } from '@ext/kernel/types'
import { MAX_DEPTH, SKIPPED_FOLDERS } from './find/limits.js'
import { folderOf, isInside, joinPath } from './find/paths.js'
import { isSkillFile } from './find/skill-file.js'
import type { Skill } from './types.js'

const MAX_LISTED = 50

export interface Resources {
  readonly resources: readonly string[]
  readonly moreResources: boolean
}

export const NO_RESOURCES: Resources = Object.freeze({ resources: Object.freeze([]), moreResources: false })

/**
 * The files beside SKILL.md by their paths relative to the folder, nearest first. Nothing is read. What a link takes out
 * of the skill does not belong to it: neither a folder nor a file. Where SKILL.md is a link itself, the folder that it
 * leads to belongs to the skill as well.
 */
export async function listResources({ folder, file }: Skill, files: FilesPort): Promise<Resources> {
  const root = await files.realPath(folder)
  const linked = await files.realPath(file)
  const roots = [root, linked === undefined ? undefined : folderOf(linked)].flatMap((each) => each ?? [])
  const insideReal = async (path: string): Promise<string | undefined> => {
    const real = await files.realPath(joinPath(folder, path))
    return real !== undefined && roots.some((each) => isInside(real, each)) ? real : undefined
  }
  const resources: string[] = []
  const seen = new Set([root])
  let level = ['']
  for (let depth = 0; root !== undefined && level.length > 0 && depth <= MAX_DEPTH; depth++) {
    const below: string[] = []
    for (const parent of level) {
      const items = await files.list(joinPath(folder, parent))
      for (const item of items?.toSorted((a, b) => compareText(a.name, b.name)) ?? []) {
        const path = parent + item.name
        if (item.kind === 'file' && !(parent === '' && isSkillFile(item)) && (await insideReal(path)) !== undefined) {
          if (resources.length === MAX_LISTED) return { resources: Object.freeze(resources), moreResources: true }
          resources.push(path)
        }
        if (item.kind !== 'folder' || SKIPPED_FOLDERS.has(item.name)) continue
        const real = await insideReal(path)
        if (real === undefined || seen.has(real)) continue
        seen.add(real)
        below.push(`${path}/`)
      }
    }
    level = below
  }
  return { resources: Object.freeze(resources), moreResources: level.length > 0 }
}
