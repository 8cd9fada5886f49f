import { basename, dirname } from 'node:path'
import type { Snapshot } from '@ext/kernel'
import type { TrustSubject } from '@ext/kernel/trust'
import type { Skill } from '@ext/skills/types'

/** What a person agrees to when a skill of a project may approve calls in advance: its file, as it is now. */
export function skillSubject(file: string, project: string): TrustSubject {
  return {
    kind: 'skills',
    name: basename(dirname(file)),
    root: project,
    runs: {
      scripts: [file],
      also: { 'its permission': 'to run the calls that it lists, and the commands that it marks' },
    },
  }
}

/** Skills whose lists of tools approve nothing yet. */
export function waitingSkills({ entries }: Snapshot<Skill>, project: string): readonly TrustSubject[] {
  return entries.flatMap(({ value }) =>
    value.trusted || value.grants.length === 0 ? [] : [skillSubject(value.file, project)],
  )
}
