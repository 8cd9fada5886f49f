import type { FileStat, WorkFilesPort, WorkItem } from '../types.js'

/** Files of absolute paths in memory, without links and modes. Folders exist where files do. */
export interface MemoryWorkFiles extends WorkFilesPort {
  /** The text of a file; `undefined` when it does not exist. */
  text(path: string): string | undefined
}

interface MemoryFile {
  readonly bytes: Uint8Array
  readonly version: string
}

function fileStat({ bytes, version }: MemoryFile): FileStat {
  return { kind: 'file', size: bytes.length, modifiedMs: 0, version }
}

export function memoryWorkFiles(content: Readonly<Record<string, string | Uint8Array>>): MemoryWorkFiles {
  const files = new Map<string, MemoryFile>()
  let versions = 0
  const put = (path: string, bytes: Uint8Array) => {
    const file = { bytes, version: `v${++versions}` }
    files.set(path, file)
    return file
  }
  for (const [path, file] of Object.entries(content)) {
    put(path, typeof file === 'string' ? new TextEncoder().encode(file) : file)
  }
  const inside = (folder: string) => (folder.endsWith('/') ? folder : `${folder}/`)
  const isFolder = (path: string) => [...files.keys()].some((file) => file.startsWith(inside(path)))
  const statOf = (path: string): FileStat | undefined => {
    const file = files.get(path)
    if (file) return fileStat(file)
    return isFolder(path) ? { kind: 'folder', size: 0, modifiedMs: 0, version: 'folder' } : undefined
  }
  return {
    text(path) {
      const file = files.get(path)
      return file && new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes)
    },
    realPath: async (path) => (statOf(path) ? path : undefined),
    stat: async (path) => statOf(path),
    async list(path) {
      if (!isFolder(path)) return undefined
      const items = new Map<string, WorkItem>()
      for (const file of files.keys()) {
        if (!file.startsWith(inside(path))) continue
        const [name = '', ...deeper] = file.slice(inside(path).length).split('/')
        items.set(name, { name, kind: deeper.length > 0 ? 'folder' : 'file' })
      }
      return [...items.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async read(path, use) {
      const stat = statOf(path)
      if (!stat) return { failure: 'missing', message: 'The file does not exist.' }
      if (stat.kind !== 'file') return { failure: 'not-a-file', message: 'A folder stands where a file is expected.' }
      const { bytes } = files.get(path) ?? { bytes: new Uint8Array() }
      return { value: await use({ stat, read: async (at, length) => bytes.slice(at, at + length) }) }
    },
    async replace(path, bytes, { expected }) {
      const stat = statOf(path)
      if ((stat?.version ?? 'absent') !== expected || stat?.kind === 'folder') {
        return { outcome: 'changed', message: 'The file was changed meanwhile.' }
      }
      return { outcome: 'replaced', stat: fileStat(put(path, bytes.slice())) }
    },
  }
}
