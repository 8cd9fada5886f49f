import { createReporter, readFailure, settleAll, sourceOf } from '@ext/kernel'
import { parseFrontmatter } from '@ext/kernel/frontmatter'
import type {
  BrokenEntry,
  Diagnostic,
  FileRecord,
  FilesPort,
  Located,
  Reader,
  ReadResult,
  SourceRef,
} from '@ext/kernel/types'
import { diagnosticCodes } from '../../codes.js'
import { RESTRICTING } from './fields.js'
import { findAgentFiles } from './find.js'
import type { AgentFile } from './header.js'

const report = createReporter(diagnosticCodes)

/** Open files are limited; more at once is no faster. */
const READS_AT_ONCE = 32

/** The dialect `agents`: a folder of Markdown files, each with a header. */
export const agentsReader: Reader<AgentFile> = {
  dialect: 'agents',
  async read(root, files): Promise<ReadResult<AgentFile>> {
    if (root.kind !== 'folder') return { entries: [], broken: [], diagnostics: [], files: [] }
    const { layer, dialect } = root
    const found = await findAgentFiles(root, files)
    const entries: Located<AgentFile>[] = []
    const broken: BrokenEntry[] = []
    const diagnostics: Diagnostic[] = [...found.diagnostics]
    const records: FileRecord[] = [{ file: root.path, layer, dialect, state: found.state }]
    const reads = await settleAll(found.files, (file) => openAgent({ layer, dialect, file }, files), {
      limit: READS_AT_ONCE,
    })
    for (const [index, file] of found.files.entries()) {
      const read = reads[index]
      // A port that throws breaks its promise; the pipeline reports that for the whole source.
      if (read?.status !== 'done') throw read?.error
      const { entry, diagnostics: problems, isAgent = true } = read.value
      records.push({ file, layer, dialect, state: entry || !isAgent ? 'read' : 'failed' })
      if (entry) entries.push(entry)
      if (entry || !isAgent) {
        diagnostics.push(...problems)
        continue
      }
      const id = `${layer}:${file}#`
      broken.push({ id, name: file, source: problems[0]?.source ?? { layer, file } })
      diagnostics.push(...problems.map((problem) => ({ ...problem, entry: id })))
    }
    return { entries, broken, diagnostics, files: records }
  },
}

interface OpenedAgent {
  readonly entry?: Located<AgentFile>
  readonly diagnostics: readonly Diagnostic[]
  /** False for a text about the folder. */
  readonly isAgent?: boolean
}

async function openAgent(source: SourceRef & { readonly file: string }, files: FilesPort): Promise<OpenedAgent> {
  const read = await files.readText(source.file)
  if (read.failure) {
    const { failure, message } = read
    return { diagnostics: [failure === 'missing' ? missing(source) : readFailure(failure, message, source)] }
  }
  const { document, body, diagnostics } = await parseFrontmatter(read.text, source, { restricting: RESTRICTING })
  if (document) {
    const header = document.value as AgentFile['header']
    return { entry: document.located('', { header, body }), diagnostics }
  }
  const isReadme = /(?:^|[\\/])readme\.md$/i.test(source.file)
  if (!isReadme || diagnostics.every(({ code }) => code !== 'frontmatter.missing')) return { diagnostics }
  const message = 'A README without a header is taken for a text about the folder, not for an agent.'
  return { diagnostics: [report.info('agents.file.readme', sourceOf(source), message)], isAgent: false }
}

function missing(source: SourceRef): Diagnostic {
  return report.error('agents.file.missing', sourceOf(source), 'The file is listed, but there is nothing to open.', {
    hint: 'Point the link at a file, or remove it.',
  })
}
