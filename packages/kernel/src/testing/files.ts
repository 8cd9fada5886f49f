import type { FilesPort, FolderItem, ReadFailure } from '../types.js'

/**
 * A file system of absolute paths and texts. Folders exist where files do.
 * @param content a text, or the failure that reading the file gives
 */
export function memoryFiles(content: Readonly<Record<string, string | { readonly failure: ReadFailure }>>): FilesPort {
  const paths = Object.keys(content)
  const inside = (folder: string) => (folder.endsWith('/') ? folder : `${folder}/`)
  const isFolder = (path: string) => paths.some((file) => file.startsWith(inside(path)))
  return {
    async readText(path, { maxBytes = 1024 * 1024 } = {}) {
      const file = content[path]
      if (file === undefined) {
        return isFolder(path)
          ? { failure: 'not-a-file', message: 'A folder stands where a file is expected.' }
          : { failure: 'missing', message: 'The file does not exist.' }
      }
      if (typeof file !== 'string') return { failure: file.failure, message: `The file is ${file.failure}.` }
      const { length } = new TextEncoder().encode(file)
      if (length > maxBytes) {
        return { failure: 'too-large', message: `The file has ${length} bytes; the limit is ${maxBytes}.` }
      }
      return { text: file.replace(/^\uFEFF/, '') }
    },
    async list(path) {
      if (!isFolder(path)) return undefined
      const items = new Map<string, FolderItem>()
      for (const file of paths) {
        if (!file.startsWith(inside(path))) continue
        const [name = '', ...deeper] = file.slice(inside(path).length).split('/')
        items.set(name, { name, kind: deeper.length > 0 ? 'folder' : 'file' })
      }
      return [...items.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    realPath: async (path) => (content[path] !== undefined || isFolder(path) ? path : undefined),
    isExecutable: async (path) => typeof content[path] === 'string',
  }
}

/** What a file system can answer instead of doing what it is asked for. */
export type FileFault = 'EACCES' | 'EIO' | 'ELOOP' | 'EMFILE' | 'ENOENT' | 'EISDIR'

/**
 * A file system on which some paths fail, as they do on a real one: the path itself can't be read, listed or executed, and
 * what lies below can't be reached. Faults are looked up at each call, so a test can bring them on and repair them.
 */
export function faultyFiles(inner: FilesPort, faults: Readonly<Record<string, FileFault>>): FilesPort {
  const above = (path: string) => Object.keys(faults).find((each) => path.startsWith(`${each}/`))
  const faultOf = (path: string) => faults[path] ?? faults[above(path) ?? '']
  return {
    async readText(path, options) {
      const fault = faultOf(path)
      if (!fault) return inner.readText(path, options)
      if (fault === 'ENOENT') return { failure: 'missing', message: 'The file does not exist.' }
      if (fault === 'EISDIR') return { failure: 'not-a-file', message: 'A folder stands where a file is expected.' }
      return { failure: 'unreadable', message: `The file can't be read: ${fault}.` }
    },
    list: async (path) => (faultOf(path) ? undefined : inner.list(path)),
    realPath: async (path) => (above(path) ? undefined : inner.realPath(path)),
    isExecutable: async (path) => !faultOf(path) && (await inner.isExecutable(path)),
  }
}
