import { createReporter } from '@ext/kernel'
import type { Diagnostic, FolderSource, Source } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/** What the search of one root can have to say. */
export function findReports(
  root: FolderSource,
): Readonly<Record<'unreadable', (path: string, why?: string) => Diagnostic>> &
  Readonly<Record<'dangling', (path: string) => Diagnostic>> &
  Readonly<Record<'misplaced' | 'ambiguous' | 'wrongCase' | 'nested', (file: string) => Diagnostic>> &
  Readonly<Record<'tooDeep' | 'tooMany', (path: string, limit: number) => Diagnostic>> {
  const at = (file: string): Source => ({ layer: root.layer, file })
  const top = (file: string): Source => ({ ...at(file), line: 1, column: 1 })
  return {
    unreadable: (path, why) => {
      const message = `The folder cannot be listed, so its skills are not found${why === undefined ? '' : `: ${why}`}.`
      const hint = 'Put a folder here that this user may read.'
      return report.error('skills.folder.unreadable', at(path), message, { hint })
    },
    dangling: (path) =>
      report.warning('skills.folder.dangling', at(path), 'The link leads nowhere.', {
        hint: 'Point it at a skill folder, or remove it.',
      }),
    misplaced: (file) =>
      report.error(
        'skills.file.misplaced',
        top(file),
        'SKILL.md stands in the skills folder itself, so it is no skill.',
        {
          hint: 'Move it into a folder of its own, named after the skill.',
        },
      ),
    ambiguous: (file) =>
      report.error(
        'skills.file.ambiguous',
        top(file),
        'Several files of this folder differ from SKILL.md in case only.',
        {
          hint: 'Keep one of them and call it SKILL.md.',
          expected: ['SKILL.md'],
        },
      ),
    nested: (file) =>
      report.info('skills.file.nested', top(file), 'The file lies inside another skill, so it is one of its files.', {
        hint: 'Move its folder out of the other skill if it is to be a skill of its own.',
      }),
    wrongCase: (file) =>
      report.warning(
        'skills.file.case',
        top(file),
        'The file is loaded, but other systems do not find it under this name.',
        {
          hint: 'Rename it to SKILL.md.',
          expected: ['SKILL.md'],
        },
      ),
    tooDeep: (path, limit) =>
      report.warning(
        'skills.limit.depth',
        at(path),
        `Folders below depth ${limit} are not searched; this is the first.`,
        {
          hint: 'Move the skills nearer to the skills folder, or add this folder as a source.',
        },
      ),
    tooMany: (path, limit) =>
      report.warning(
        'skills.limit.folders',
        at(path),
        `More than ${limit} folders: from this one on they are not searched.`,
        {
          hint: 'Point the source at the folder that holds the skills, or split it into several sources.',
        },
      ),
  }
}
