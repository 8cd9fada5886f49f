import { createReporter, isMap, readFailure, settleAll, sourceOf } from '@ext/kernel'
import { parseFrontmatter, splitFrontmatter } from '@ext/kernel/frontmatter'
import type {
  BrokenEntry,
  ConfigSource,
  Diagnostic,
  FileRecord,
  FilesPort,
  Located,
  Reader,
  ReadResult,
  SourceRef,
} from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import { RESTRICTING } from './config/fields.js'
import type { RuleLanguage } from './config/rule-language.js'
import { namesTools } from './config/tools.js'
import type { FoundSkills } from './find/find.js'

const report = createReporter(diagnosticCodes)

/** Open files are limited; more at once is no faster. */
const READS_AT_ONCE = 32

export interface OpenedSkill {
  /** The header as written. Absent if the file has none that can be used; the diagnostics say why. */
  readonly entry?: Located<unknown>
  /** The whole text; absent if it can't be read. */
  readonly text?: string
  readonly body: string
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads one SKILL.md. The entry keeps nothing of the body in memory. */
export async function openSkill(
  source: SourceRef & { readonly file: string },
  files: FilesPort,
  language: RuleLanguage,
): Promise<OpenedSkill> {
  const read = await files.readText(source.file)
  if (read.failure) {
    const diagnostic = read.failure === 'missing' ? missing(source) : readFailure(read.failure, read.message, source)
    return { body: '', diagnostics: [diagnostic] }
  }
  const { text } = read
  const split = splitFrontmatter(text)
  const body = 'code' in split ? '' : split.body
  const head = copyOf(text.slice(0, text.length - body.length))
  const { document, diagnostics } = await parseFrontmatter(head, source, { restricting: RESTRICTING })
  if (isMap(document?.value) && namesTools(document.value)) await language.load()
  return { ...(document ? { entry: document.located('', document.value) } : {}), text, body, diagnostics }
}

/** A slice of a text keeps the whole text in memory; a copy does not. */
function copyOf(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text))
}

function missing(source: SourceRef): Diagnostic {
  return report.error('skills.file.missing', sourceOf(source), 'The file is listed, but there is nothing to open.', {
    hint: 'Point the link at a file, or remove it.',
  })
}

/**
 * The reader of dialect `skills`, for one load.
 * @param found what the search has found for each source
 * @param digests is filled with a digest for each file that was read
 */
export function skillsReader(
  found: ReadonlyMap<ConfigSource, FoundSkills>,
  digests: Map<string, string>,
  language: RuleLanguage,
): Reader<unknown> {
  return {
    dialect: 'skills',
    async read(root, files): Promise<ReadResult<unknown>> {
      const entries: Located<unknown>[] = []
      const broken: BrokenEntry[] = []
      const diagnostics: Diagnostic[] = []
      const records: FileRecord[] = []
      const record = (file: string, state: FileRecord['state']) =>
        records.push({ file, layer: root.layer, dialect: root.dialect, state })
      const fail = (file: string, problems: readonly Diagnostic[]) => {
        const id = `${root.layer}:${file}#`
        broken.push({ id, name: file, source: problems[0]?.source ?? { layer: root.layer, file } })
        diagnostics.push(...problems.map((problem) => ({ ...problem, entry: id })))
      }

      const skills = found.get(root)
      if (root.kind !== 'folder' || !skills) return { entries, broken, diagnostics, files: records }
      record(root.path, skills.state)
      diagnostics.push(...skills.diagnostics)
      for (const { file, diagnostic } of skills.broken) {
        record(file, 'failed')
        fail(file, [diagnostic])
      }
      const reads = await settleAll(
        skills.files,
        async (file) => {
          const opened = await openSkill({ layer: root.layer, dialect: root.dialect, file }, files, language)
          if (opened.text !== undefined) digests.set(file, await digestOf(opened.text))
          return opened
        },
        { limit: READS_AT_ONCE },
      )
      for (const [index, file] of skills.files.entries()) {
        const read = reads[index]
        // A port that throws breaks its promise; the pipeline reports that for the whole source.
        if (read?.status !== 'done') throw read?.error
        const { entry, diagnostics: problems } = read.value
        record(file, entry ? 'read' : 'failed')
        if (!entry) {
          fail(file, problems)
          continue
        }
        entries.push(entry)
        diagnostics.push(...problems)
      }
      return { entries, broken, diagnostics, files: records }
    },
  }
}

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
