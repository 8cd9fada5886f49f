import { formatPlace, suggest } from '@ext/kernel'
import type { Snapshot, SnapshotEntry } from '@ext/kernel/types'
import { errorOf, isNamed } from '../explain.js'
import { foldName } from '../names.js'
import type { ActivatedBy, Refused, Skill } from '../types.js'

const MAX_NAMES = 50
/** Of a name that is none, and may be anything. */
const LONGEST = 255

/** The skill of a name, if it is there and may be started this way. */
export function lookUp(
  snapshot: Snapshot<Skill>,
  name: string,
  via: ActivatedBy,
): { readonly entry: SnapshotEntry<Skill>; readonly refused?: undefined } | { readonly refused: Refused } {
  const key = foldName(name)
  const entry = snapshot.entries.find((candidate) => candidate.name === key)
  if (!entry) return { refused: unknownSkill(snapshot, name, via) }
  const refused = wrongDoor(entry.value, via)
  return refused ? { refused } : { entry }
}

/** Why a skill may not be started this way. */
export function wrongDoor(skill: Skill, via: ActivatedBy): Refused | undefined {
  if (via === 'model' && !skill.modelInvocable) {
    return {
      code: 'skills.user-only',
      problem: `The skill \`${skill.name}\` can only be started by the user.`,
      hint: 'Ask the user to start it.',
    }
  }
  if (via === 'user' && !skill.userInvocable) {
    return {
      code: 'skills.model-only',
      problem: `The skill \`${skill.name}\` can only be loaded by the model.`,
      hint: 'Describe the task; the model loads the skill when it fits.',
    }
  }
  return undefined
}

function unknownSkill(snapshot: Snapshot<Skill>, name: string, via: ActivatedBy): Refused {
  const key = foldName(name)
  if (snapshot.records.some((record) => record.verdict === 'disabled' && record.name === key)) {
    return {
      code: 'skills.disabled',
      problem: `The skill \`${name}\` is switched off.`,
      hint: via === 'model' ? 'Do without it.' : 'Switch it on again in the configuration.',
    }
  }
  const broken = snapshot.records.findLast((record) => record.verdict === 'broken' && isNamed(record, key))
  if (broken) {
    const error = errorOf(snapshot, broken)
    const why = error ? `${formatPlace(error.source)}: ${error.message}` : `${formatPlace(broken.source)} is broken.`
    const hint = error?.hint ?? 'Look at its SKILL.md.'
    return { code: 'skills.unreadable', problem: `The skill \`${name}\` can't be used: ${why}`, hint }
  }
  const names = snapshot.entries
    .map((entry) => entry.value)
    .filter((skill) => wrongDoor(skill, via) === undefined)
    .map((skill) => skill.name)
    .toSorted()
  const meant = suggest(name, names)
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  const list = names.length === 0 ? 'There are no skills.' : `There are: ${shown}${more}.`
  return {
    code: 'skills.unknown',
    problem: `There is no skill \`${name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name}\`.`,
    hint: meant === undefined ? list : `Did you mean \`${meant}\`? ${list}`,
  }
}
