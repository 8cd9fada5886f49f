import type { FolderItem } from '@ext/kernel/types'

const SKILL_FILE = 'SKILL.md'

export function isSkillFile(item: FolderItem): boolean {
  return item.name.toLowerCase() === SKILL_FILE.toLowerCase()
}

/**
 * The SKILL.md among the items of a folder, whatever kind of item it is: a link that leads nowhere is reported when it
 * is read. Names are compared as they are listed, so that every file system gives the same answer.
 */
export function findSkillFile(
  items: readonly FolderItem[],
): { readonly name: string; readonly problem?: 'case' | 'ambiguous' } | undefined {
  const [first, ...others] = items.filter(isSkillFile)
  if (!first) return undefined
  if (others.length > 0) return { name: first.name, problem: 'ambiguous' }
  return first.name === SKILL_FILE ? { name: first.name } : { name: first.name, problem: 'case' }
}
