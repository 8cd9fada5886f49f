import { isMap } from '@ext/kernel'
import type { RunTerms } from '@ext/kernel/contract'
import type { Snapshot } from '@ext/kernel/types'
import { foldName } from '../names.js'
import type { RestoredSkills, SavedSkills, Skill } from '../types.js'
import type { ActiveSkills } from './active-skills.js'

/** What is active, as JSON. */
export function saveSkills(active: ActiveSkills, offered: Iterable<string>): SavedSkills {
  const byAge = active.list().map(({ skill, text, via, cut }) => ({ name: skill.name, text, via, cut }))
  return { version: 1, active: byAge, limits: active.limits(), offered: [...offered].sort() }
}

/**
 * Takes up what was saved. It comes from a file, so it can be anything: what can't be used, and what is no skill any more,
 * is left out and named. Limits are those of then and those that the skill has now: an edit takes none away.
 */
export function restoreSkills(
  saved: unknown,
  active: ActiveSkills,
  snapshot: Snapshot<Skill>,
): RestoredSkills & Pick<SavedSkills, 'offered'> {
  const missing: string[] = []
  const { version, active: records, limits, offered } = isMap(saved) ? saved : {}
  if (version !== 1) return { missing, offered: [] }
  for (const record of Array.isArray(records) ? records : []) {
    const { name, text, via, cut } = isMap(record) ? record : {}
    if (typeof name !== 'string') continue
    const entry = snapshot.entries.find((each) => each.name === foldName(name))
    if (entry && typeof text === 'string' && (via === 'model' || via === 'user')) {
      active.restore({ skill: entry.value, text, via, cut: cut === true })
    } else missing.push(name)
  }
  // Something stood there, and whatever it was, it took something away.
  for (const limit of Array.isArray(limits) ? limits : limits === undefined ? [] : [limits]) {
    const terms = readLimit(limit)
    if (terms) active.restoreLimits([terms])
    else missing.push('a limit that can’t be read')
  }
  const names = Array.isArray(offered) ? offered.filter((name) => typeof name === 'string') : []
  return { missing, offered: names }
}

/** Nothing but a limit is taken from a file: it can only refuse. */
function readLimit(saved: unknown): RunTerms | undefined {
  const { by, disallowed, restrict } = isMap(saved) ? saved : {}
  if (typeof by !== 'string') return undefined
  if (isTexts(disallowed) && restrict === undefined)
    return Object.freeze({ by, disallowed: Object.freeze([...disallowed]) })
  if (isTexts(restrict) && disallowed === undefined)
    return Object.freeze({ by, restrict: Object.freeze([...restrict]) })
  return undefined
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
