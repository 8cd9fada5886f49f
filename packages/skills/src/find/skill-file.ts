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
  const item = items.find(isSkillFile)
  if (!item) return undefined
  if (items.some((other) => other !== item && isSkillFile(other))) return { item, problem: 'ambiguous' }
  return item.name === SKILL_FILE ? { item } : { item, problem: 'case' }
}
