import {
  createReporter,
  type FileEntry,
  inTurns,
  isMap,
  joinFileEntries,
  joinPointer,
  lookAtHeads,
  messageOf,
  type Pace,
  readFailure,
  sourceOf,
} from '@ext/kernel'
import {
  type FilesPlace,
  headerEnd,
  parseFrontmatter,
  readSimpleHeader,
  type SimpleHeader,
  splitFrontmatter,
} from '@ext/kernel/frontmatter'
import type {
  Diagnostic,
  FilesPort,
  FolderSource,
  HeadLook,
  Located,
  ReadFailure,
  ReadResult,
  SourceRef,
} from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import { RESTRICTING, toolFieldOf } from './config/fields.js'
import { forks } from './config/mode.js'
import type { RuleLanguage } from './config/rule-language.js'
import { namesTools } from './config/tools.js'
import type { FoundSkill, FoundSkills } from './find/find.js'
import { DEFAULT_LIMITS } from './find/limits.js'
import { folderOf } from './find/paths.js'
import { SkillTraces } from './find/traces.js'

const report = createReporter(diagnosticCodes)

/** Few enough to be read within a millisecond or two. */
const AT_ONCE = 32

export type SkillSource = SourceRef & { readonly file: string }

/** What opening a SKILL.md needs beside the file. */
export interface OpenSkillHost {
  readonly files: FilesPort
  readonly language: RuleLanguage
  /** Default 1 MiB. */
  readonly maxBytes?: number
}

export interface OpenedSkill {
  /** The header as written. Absent if the file has none that can be used; the diagnostics say why. */
  readonly entry?: Located<unknown>
  readonly body: string
  readonly diagnostics: readonly Diagnostic[]
  /** The header as a text, also if it can't be read; all of the file if none was found. */
  readonly written: string
}

/** Reads one SKILL.md with its body. The entry keeps nothing of the body in memory. */
export async function openSkill(
  source: SkillSource,
  { files, language, maxBytes = DEFAULT_LIMITS.fileBytes }: OpenSkillHost,
): Promise<OpenedSkill> {
  const read = await readAll(files, source.file, maxBytes)
  if (read.failure) return { body: '', written: '', diagnostics: [notRead(source, read.failure, read.message)] }
  return openText(read.text, source, language)
}

/** A port that throws breaks its promise, and yet costs no more than the file. */
async function readAll(files: FilesPort, file: string, maxBytes: number): ReturnType<FilesPort['readText']> {
  try {
    return await files.readText(file, { maxBytes })
  } catch (error) {
    return { failure: 'unreadable', message: messageOf(error) }
  }
}

/** Understands the text of a SKILL.md. The entry keeps nothing of the body in memory. */
export async function openText(text: string, source: SkillSource, language: RuleLanguage): Promise<OpenedSkill> {
  const split = splitFrontmatter(text)
  const body = 'code' in split ? '' : split.body
  const opened = await openHead(copyOf(text.slice(0, text.length - body.length)), source, language)
  return { ...opened, body, written: 'code' in split ? text : split.header }
}

/** A slice of a text keeps the whole text in memory; a copy does not. */
function copyOf(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text))
}

/** Reads the header of a SKILL.md. */
async function openHead(
  head: string,
  source: SkillSource,
  language: RuleLanguage,
): Promise<Pick<OpenedSkill, 'entry' | 'diagnostics'>> {
  const { document, diagnostics } = await parseFrontmatter(head, source, { restricting: RESTRICTING })
  if (!document) return { diagnostics }
  const entry = document.located('', document.value)
  if (isMap(entry.value) && namesTools(entry.value)) {
    const guess = diagnostics.some(({ code }) => code === 'frontmatter.rescued')
    if (guess && forks(entry.value)) return { diagnostics: [...diagnostics, guessedLimit(entry, entry.value)] }
    await language.load()
  }
  return { entry, diagnostics }
}

/** Most skills of a source stand beside each other, and only the names of their folders differ. */
function places({ layer, dialect }: FolderSource): (skill: FoundSkill) => FilesPlace {
  let last: FilesPlace | undefined
  return ({ file, beside: before }) => {
    if (last?.before !== before || !file.endsWith(last.behind)) {
      last = { layer, dialect, before, behind: file.slice(folderOf(file).length) }
    }
    return last
  }
}

/** The list of a fork is a limit, and where the header had to be guessed at, so is the limit. */
function guessedLimit(entry: Located<unknown>, header: Readonly<Record<string, unknown>>): Diagnostic {
  const field = Object.keys(header).find((key) => toolFieldOf(key) !== undefined) ?? ''
  const pointer = joinPointer('', field)
  const message = `The header is not valid YAML and \`${field}\` limits the tools of a fork, so nothing is guessed.`
  const hint = 'Put texts that hold a colon with a blank behind it between quotes.'
  return report.error('skills.restriction.unreadable', entry.at(pointer, 'key'), message, { hint, pointer })
}

/** The diagnostic of a SKILL.md that could not be read. */
export function notRead(source: SkillSource, failure: ReadFailure, message: string): Diagnostic {
  const diagnostic = failure === 'missing' ? missing(source) : readFailure(failure, message, source)
  return { ...diagnostic, source: { ...diagnostic.source, line: 1, column: 1 } }
}

function missing(source: SourceRef): Diagnostic {
  return report.error('skills.file.missing', sourceOf(source), 'The file is listed, but there is nothing to open.', {
    hint: 'Point the link at a file, or remove it.',
  })
}

/** The headers of one source, and a stamp for each file by which it is known again. */
export interface ReadHeaders {
  readonly result: ReadResult<unknown>
  readonly traces: SkillTraces
  /** Those that can be read again from the little that they keep. */
  readonly simple: readonly SimpleHeader[]
}

/** Reads the headers of all skills that were found in a source, some at a time. */
export async function readHeaders(
  root: FolderSource,
  found: FoundSkills,
  host: OpenSkillHost,
  pace: Pace,
): Promise<ReadHeaders> {
  const { layer, dialect } = root
  const { files, language, maxBytes = DEFAULT_LIMITS.fileBytes } = host
  const opened: FileEntry<unknown>[] = found.broken.map(({ file, diagnostic }) => ({ file, diagnostics: [diagnostic] }))
  const simple: SimpleHeader[] = []
  const traces = new SkillTraces()
  const placeOf = places(root)
  const open = async (source: SkillSource, look: HeadLook | undefined): Promise<FileEntry<unknown>> => {
    const { file } = source
    if (look?.state === 'read') return { file, ...(await openHead(look.text, source, language)) }
    const { failure, message } =
      look?.state === 'failed' ? look : { failure: 'unreadable' as const, message: 'No answer.' }
    return { file, diagnostics: [notRead(source, failure, message)] }
  }
  for (let start = 0; start < found.skills.length; start += AT_ONCE) {
    const skills = found.skills.slice(start, start + AT_ONCE)
    const paths = skills.map(({ file }) => file)
    const looks = await lookAtHeads(files, paths, { end: headerEnd, maxBytes })
    await inTurns(skills, pace, (skill, index) => {
      const { file, folder } = skill
      const look = looks[index]
      const isRead = look?.state === 'read'
      const header = isRead ? readSimpleHeader(look.text, file, placeOf(skill)) : undefined
      // Most headers need neither the YAML parser nor the rule language, and so no promise.
      if (!header || namesTools(header.value)) {
        traces.add(file, folder, isRead ? look.stamp : undefined)
        return open({ layer, dialect, file }, look).then((entry) => opened.push(entry))
      }
      traces.add(header, folder, isRead ? look.stamp : undefined)
      simple.push(header)
      opened.push({ file, entry: header, diagnostics: NO_DIAGNOSTICS })
      return undefined
    })
  }
  const result = joinFileEntries(root, found.state, opened)
  if (found.diagnostics.length === 0) return { result, traces, simple }
  const diagnostics = [...found.diagnostics, ...result.diagnostics]
  return { result: { ...result, diagnostics }, traces, simple }
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([])
