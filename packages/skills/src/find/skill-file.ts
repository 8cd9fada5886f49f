import type { FolderItem } from '@ext/kernel/types'

const SKILL_FILE = 'SKILL.md'

export interface FoundFile<T> {
  readonly item: T
  readonly problem?: 'case' | 'ambiguous'
}

export function isSkillFile({ name }: FolderItem): boolean {
  return name === SKILL_FILE || (name.length === SKILL_FILE.length && name.toLowerCase() === SKILL_FILE.toLowerCase())
}

/**
 * The SKILL.md among the items of a folder, whatever kind of item it is: a link that leads nowhere is reported when it
 * is read. Names are compared as they are listed, so that every file system gives the same answer.
 */
export function findSkillFile<T extends FolderItem>(items: readonly T[]): FoundFile<T> | undefined {
  // As a rule it is all that there is.
  if (items.length === 1 && items[0]?.name === SKILL_FILE) return { item: items[0] }
  let found: T | undefined
  for (const item of items) {
    if (!isSkillFile(item)) continue
    if (found) return { item: found, problem: 'ambiguous' }
    found = item
  }
  if (!found) return undefined
  return found.name === SKILL_FILE ? { item: found } : { item: found, problem: 'case' }
}
