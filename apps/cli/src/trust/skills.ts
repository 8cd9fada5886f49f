import { basename, dirname } from 'node:path'
import type { TrustSubject } from '@ext/kernel/trust'
import type { Skills } from '@ext/skills'

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

/** Skills that approve and run nothing yet, and would. */
export async function waitingSkills(skills: Skills, project: string): Promise<readonly TrustSubject[]> {
  return (await skills.unapproved()).map(({ file }) => skillSubject(file, project))
}
