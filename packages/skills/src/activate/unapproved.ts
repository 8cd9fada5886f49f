import type { Snapshot } from '@ext/kernel/types'
import { type OpenSkillHost, openSkill } from '../reader.js'
import { hasCommands } from '../render/command.js'
import type { Skill } from '../types.js'

/** Skills that would do more if their source was approved: what grants stands in the header, commands stand in the body. */
export async function unapprovedSkills({ entries }: Snapshot<Skill>, host: OpenSkillHost): Promise<readonly Skill[]> {
  const waiting: Skill[] = []
  for (const { value: skill, source } of entries) {
    if (skill.trusted) continue
    if (skill.grants.length > 0 || hasCommands((await openSkill({ ...source, file: skill.file }, host)).body)) {
      waiting.push(skill)
    }
  }
  return waiting
}
