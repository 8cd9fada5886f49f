import type { BrokenEntry, Diagnostic, FileRecord, FolderSource, Located, ReadResult } from './types.js'

/** What came of one file of a folder, where each file holds one entry. */
export interface FileEntry<I> {
  readonly file: string
  /** Absent: the diagnostics say why. */
  readonly entry?: Located<I>
  readonly diagnostics: readonly Diagnostic[]
  /** It was read and is none of the axis, for example a README; the diagnostics may say so. */
  readonly ignored?: boolean
}

/** What a reader gives for a folder whose files hold one entry each: every file is an entry, broken, or ignored. */
export function joinFileEntries<I>(
  root: FolderSource,
  state: FileRecord['state'],
  found: readonly FileEntry<I>[],
): ReadResult<I> {
  const { layer, dialect } = root
  const entries: Located<I>[] = []
  const broken: BrokenEntry[] = []
  const diagnostics: Diagnostic[] = []
  const record = (file: string, of: FileRecord['state']): FileRecord => ({ file, layer, dialect, state: of })
  const files: (Located<I> | FileRecord)[] = []
  for (const { file, entry, diagnostics: problems, ignored } of found) {
    files.push(entry ?? record(file, ignored ? 'read' : 'failed'))
    if (entry) entries.push(entry)
    if (problems.length > 0 && (entry || ignored)) diagnostics.push(...problems)
    if (entry || ignored) continue
    const id = `${layer}:${file}#`
    broken.push({ id, name: file, source: problems[0]?.source ?? { layer, file } })
    diagnostics.push(...problems.map((problem) => ({ ...problem, entry: id })))
  }
  // An entry says itself which file it is. There may be thousands, and as a rule there is nothing else.
  const rows = files.length === entries.length ? entries : files
  return {
    entries,
    broken,
    diagnostics,
    get files() {
      return [
        record(root.path, state),
        ...rows.map((row) => ('state' in row ? row : record(row.source.file ?? '', 'read'))),
      ]
    },
  }
}
