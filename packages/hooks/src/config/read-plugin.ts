import {
  createReporter,
  type Diagnostic,
  describe,
  type FileRecord,
  type FoundEntries,
  isMap,
  openDocument,
  type Reader,
  type ReadResult,
} from '@ext/kernel'
import type { FilesPort, FolderSource } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { HookInput, HookOwner } from './entry.js'
import { findClaudeHooks } from './read-claude.js'

const report = createReporter(diagnosticCodes)

const MANIFEST = '.claude-plugin/plugin.json'
const DEFAULT_FILE = 'hooks/hooks.json'

/**
 * Reads the hooks of a plugin from its root folder: `hooks/hooks.json`, and what the manifest names besides. A file that is
 * named twice is read once.
 * @param dataFolder where a plugin keeps what outlives it
 */
export function pluginReader(dataFolder: (root: string) => string | undefined): Reader<HookInput> {
  return {
    dialect: 'claude-plugin',
    async read(source, files): Promise<ReadResult<HookInput>> {
      if (source.kind !== 'folder') return { entries: [], broken: [], diagnostics: [], files: [] }
      const data = dataFolder(source.path)
      const owner: HookOwner = { kind: 'plugin', root: source.path, ...(data === undefined ? {} : { data }) }
      const manifest = await readManifest(source, owner, files)
      const parts: Part[] = [manifest]
      for (const name of new Set([DEFAULT_FILE, ...manifest.names])) {
        parts.push(await readPart(source, name, files, (document) => findClaudeHooks(document, { owner })))
      }
      return {
        entries: parts.flatMap(({ entries }) => entries),
        broken: parts.flatMap(({ broken }) => broken ?? []),
        diagnostics: parts.flatMap(({ diagnostics }) => diagnostics ?? []),
        files: parts.flatMap(({ record }) => record ?? []),
      }
    },
  }
}

interface Part extends FoundEntries<HookInput> {
  readonly record?: FileRecord
}

type Document = NonNullable<Awaited<ReturnType<typeof openDocument>>['document']>

async function readPart(
  { layer, dialect, path: root }: FolderSource,
  name: string,
  files: FilesPort,
  find: (document: Document) => FoundEntries<HookInput>,
): Promise<Part> {
  const { document, diagnostics, record } = await openDocument(
    { kind: 'file', layer, dialect, path: `${root}/${name}` },
    files,
  )
  const found: FoundEntries<HookInput> = document ? find(document) : { entries: [] }
  return {
    entries: found.entries,
    broken: found.broken ?? [],
    diagnostics: [...diagnostics, ...(found.diagnostics ?? [])],
    ...(record ? { record } : {}),
  }
}

/** The manifest's `hooks`: paths of files in the plugin, or hooks themselves. */
async function readManifest(
  source: FolderSource,
  owner: HookOwner,
  files: FilesPort,
): Promise<Part & { readonly names: readonly string[] }> {
  const names: string[] = []
  const part = await readPart(source, MANIFEST, files, (document) => {
    const hooks = isMap(document.value) ? document.value['hooks'] : undefined
    if (isMap(hooks))
      return findClaudeHooks(document, { pointer: isMap(hooks['hooks']) ? '/hooks/hooks' : '/hooks', owner })
    const diagnostics: Diagnostic[] = []
    for (const [index, path] of [hooks ?? []].flat().entries()) {
      const pointer = Array.isArray(hooks) ? `/hooks/${index}` : '/hooks'
      const name = typeof path === 'string' ? path.replace(/^\.\//, '') : ''
      if (name !== '' && !name.startsWith('/') && !name.split(/[\\/]/).includes('..')) {
        names.push(name)
        continue
      }
      const message = `The manifest names ${describe(path)} for hooks, not a file of the plugin.`
      const hint = 'Write a path such as ./hooks/hooks.json.'
      diagnostics.push(report.error('hooks.plugin.path', document.at(pointer), message, { pointer, hint }))
    }
    return { entries: [], diagnostics }
  })
  return { ...part, names }
}
