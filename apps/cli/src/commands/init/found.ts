import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Diagnostic } from '@ext/kernel'
import type { Extensions } from '../../compose.js'
import { type DiagnosedEntry, diagnose } from '../../doctor/diagnose.js'

/** A file or folder of the project that is read as it is, with how many entries of each kind became what. */
export interface ReadAsItIs {
  /** Relative to the project. */
  readonly path: string
  /** By axis and verdict: `{ hooks: { untrusted: 2 } }`. */
  readonly entries: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export interface FoundInProject {
  readonly read: readonly ReadAsItIs[]
  /** Texts for the model. */
  readonly instructions: readonly string[]
  /** What of it can't take effect, or hardly as it is meant. */
  readonly diagnostics: readonly Diagnostic[]
  /** Entries that wait for approval. */
  readonly waiting: number
}

const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md']

/** What of the project is read as it is. What stands in our own file is left out: whoever wrote it knows. */
export async function findInProject(extensions: Extensions): Promise<FoundInProject> {
  const { project } = extensions.locations
  const { entries, diagnostics } = await diagnose(extensions)
  const isOfProject = (file: string | undefined): file is string =>
    file !== undefined && !relative(project, file).startsWith('..') && dirname(file) !== join(project, '.ext')
  const groups = new Map<string, DiagnosedEntry[]>()
  for (const entry of entries) {
    const { file } = entry.source
    if (!isOfProject(file)) continue
    const path = groupOf(relative(project, file), entry.axis)
    groups.set(path, [...(groups.get(path) ?? []), entry])
  }
  // A file of which nothing could be read has no entries and is there all the same.
  for (const { file, state } of extensions.files) {
    if (
      state === 'failed' &&
      isOfProject(file) &&
      ![...groups.keys()].some((path) => relative(project, file).startsWith(path))
    ) {
      groups.set(relative(project, file), [])
    }
  }
  return {
    read: [...groups].map(([path, found]) => ({ path, entries: countEntries(found) })),
    instructions: INSTRUCTIONS.filter((name) => existsSync(join(project, name))),
    diagnostics: diagnostics.filter(
      ({ severity, code, source }) =>
        severity !== 'info' && code !== 'config.entry.untrusted' && isOfProject(source.file),
    ),
    waiting: entries.filter(({ verdict, source }) => verdict === 'untrusted' && isOfProject(source.file)).length,
  }
}

/** Skills and agents by the folder that holds them all. */
function groupOf(path: string, axis: string): string {
  if (axis !== 'skills' && axis !== 'agents') return path
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if (basename(folder) === axis) return folder
  }
  return dirname(path)
}

function countEntries(entries: readonly DiagnosedEntry[]): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const counts: Record<string, Record<string, number>> = {}
  for (const { axis, verdict } of entries) {
    const ofAxis = counts[axis] ?? {}
    counts[axis] = { ...ofAxis, [verdict]: (ofAxis[verdict] ?? 0) + 1 }
  }
  return counts
}
