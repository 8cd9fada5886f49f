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
