import { formatPlace, type KernelCode } from '@ext/kernel'
import type { Diagnostic, Outcome, SnapshotEntry, SourceRef } from '@ext/kernel/types'
import type { diagnosticCodes } from '../codes.js'
import { compileSkill, isTrusted } from '../compile.js'
import type { CompileContext } from '../config/context.js'
import { validateHeader } from '../config/header.js'
import { openSkill } from '../reader.js'
import type { Refused, Skill } from '../types.js'
import { limitInText, newLimit } from './added-limit.js'
import type { SessionHost } from './host.js'

/** One version of a skill. */
export interface SkillVersion {
  readonly skill: Skill
  readonly body: string
}

/** What an activation goes on with, or why it can't. */
export type ReadVersion =
  | (SkillVersion & { readonly stale?: string; readonly refused?: undefined })
  | { readonly refused: Refused }

/** Faults of a limit: the version before had another one, or none. */
const LIMITS: readonly string[] = [
  'frontmatter.rescue-refused',
  'skills.restriction.unreadable',
  'skills.restriction.misspelt',
  'skills.tools.twice',
  'skills.mode.limited',
] satisfies readonly (keyof typeof diagnosticCodes | KernelCode)[]

/**
 * The skill as it is on disk now. A file that can't be understood leaves the version that was read before in use; a limit
 * that was added counts all the same.
 */
export async function readVersion(
  entry: SnapshotEntry<Skill>,
  before: SkillVersion | undefined,
  host: Pick<SessionHost, 'files' | 'context' | 'maxBytes'>,
): Promise<ReadVersion> {
  const { value, diagnostics, limit } = await readAgain(entry, before, host)
  if (value) return value
  const trouble = diagnostics.find((each) => each.severity === 'error')
  if (before && trouble && limit === undefined && !LIMITS.includes(trouble.code)) {
    return { ...stillTrusted(before, entry.source, host.context), stale: explain(trouble) }
  }
  const also = limit === undefined ? '' : ` The file also names \`${limit}\`, so the version before is not used.`
  return {
    refused: {
      code: 'skills.unreadable',
      problem: `The skill \`${entry.value.name}\` can't be used any more: ${trouble ? explain(trouble) : 'it is gone'}${also}`,
      hint: trouble?.hint ?? 'Look at its SKILL.md.',
    },
  }
}

/** What somebody agreed to then may be taken back now, whatever became of the file. */
function stillTrusted(version: SkillVersion, source: SourceRef, context: CompileContext): SkillVersion {
  const { skill, body } = version
  if (!skill.trusted || isTrusted(source, context)) return version
  return { skill: Object.freeze({ ...skill, trusted: false }), body }
}

/** The file as it is now, judged like the first time. */
async function readAgain(
  entry: SnapshotEntry<Skill>,
  before: SkillVersion | undefined,
  { files, context, maxBytes }: Pick<SessionHost, 'files' | 'context' | 'maxBytes'>,
): Promise<Outcome<SkillVersion> & { readonly limit?: string | undefined }> {
  const source = { ...entry.source, file: entry.value.file }
  const opened = await openSkill(source, { files, language: context.language, maxBytes })
  if (!opened.entry) {
    return { diagnostics: opened.diagnostics, limit: before && limitInText(opened.written, before.skill) }
  }
  const { value: header, diagnostics } = validateHeader(opened.entry)
  if (!header) return { diagnostics, limit: before && newLimit(opened.entry, before.skill, context) }
  const { value: skill, diagnostics: problems } = compileSkill({ ...opened.entry, value: header }, context)
  return { ...(skill ? { value: { skill, body: opened.body } } : {}), diagnostics: problems }
}

function explain({ source, message }: Diagnostic): string {
  return `${formatPlace(source)}: ${message}`
}
