import { isMap } from '@ext/kernel'
import type { Snapshot } from '@ext/kernel/types'
import { foldName } from '../names.js'
import type { RestoredSkills, SavedSkills, Skill } from '../types.js'
import type { ActiveSkills } from './active-skills.js'

/** What is active, as JSON. */
export function saveSkills(active: ActiveSkills, offered: Iterable<string>): SavedSkills {
  const byAge = active.list().map(({ skill, text, via, cut }) => ({ name: skill.name, text, via, cut }))
  return { version: 1, active: byAge, offered: [...offered].sort() }
}

/**
 * Takes up what was saved. It comes from a file, so it can be anything: what can't be used, and what is no skill any more,
 * is left out and named. Limits are those that the skill has now.
 */
export function restoreSkills(
  saved: unknown,
  active: ActiveSkills,
  snapshot: Snapshot<Skill>,
): RestoredSkills & Pick<SavedSkills, 'offered'> {
  const missing: string[] = []
  const { version, active: records, offered } = isMap(saved) ? saved : {}
  if (version !== 1) return { missing, offered: [] }
  for (const record of Array.isArray(records) ? records : []) {
    const { name, text, via, cut } = isMap(record) ? record : {}
    if (typeof name !== 'string') continue
    const entry = snapshot.entries.find((each) => each.name === foldName(name))
    if (entry && typeof text === 'string' && (via === 'model' || via === 'user')) {
      active.restore({ skill: entry.value, text, via, cut: cut === true })
    } else missing.push(name)
  }
  const names = Array.isArray(offered) ? offered.filter((name) => typeof name === 'string') : []
  return { missing, offered: names }
}
