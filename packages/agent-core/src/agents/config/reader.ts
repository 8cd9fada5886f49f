import { createReporter, type FileEntry, joinFileEntries, readFailure, settleAll, sourceOf } from '@ext/kernel'
import { parseFrontmatter } from '@ext/kernel/frontmatter'
import type { Diagnostic, FilesPort, Reader, ReadResult, SourceRef } from '@ext/kernel/types'
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
    const reads = await settleAll(found.files, (file) => openAgent({ layer, dialect, file }, files), {
      limit: READS_AT_ONCE,
    })
    const opened = reads.map((read): FileEntry<AgentFile> => {
      // A port that throws breaks its promise; the pipeline reports that for the whole source.
      if (read.status === 'failed') throw read.error
      return read.value
    })
    const result = joinFileEntries(root, found.state, opened)
    return { ...result, diagnostics: [...found.diagnostics, ...result.diagnostics] }
  },
}

async function openAgent(
  source: SourceRef & { readonly file: string },
  files: FilesPort,
): Promise<FileEntry<AgentFile>> {
  const { file } = source
  const read = await files.readText(source.file)
  if (read.failure) {
    const { failure, message } = read
    return { file, diagnostics: [failure === 'missing' ? missing(source) : readFailure(failure, message, source)] }
  }
  const { document, body, diagnostics } = await parseFrontmatter(read.text, source, { restricting: RESTRICTING })
  if (document) {
    const header = document.value as AgentFile['header']
    return { file, entry: document.located('', { header, body }), diagnostics }
  }
  const isReadme = /(?:^|[\\/])readme\.md$/i.test(source.file)
  if (!isReadme || diagnostics.every(({ code }) => code !== 'frontmatter.missing')) return { file, diagnostics }
  const message = 'A README without a header is taken for a text about the folder, not for an agent.'
  return { file, diagnostics: [report.info('agents.file.readme', sourceOf(source), message)], ignored: true }
}

function missing(source: SourceRef): Diagnostic {
  return report.error('agents.file.missing', sourceOf(source), 'The file is listed, but there is nothing to open.', {
    hint: 'Point the link at a file, or remove it.',
  })
}
