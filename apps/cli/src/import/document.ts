import { join } from 'node:path'
import { type FilesPort, parseDocument, type Source } from '@ext/kernel'

/** A file of another program, with the places of what stands in it. */
export interface ForeignDocument {
  readonly value: unknown
  readonly file: string
  at(pointer: string): Source
}

/** What is in a file, or what keeps it from being read; `undefined` if there is none. */
export async function openForeign(
  project: string,
  path: string,
  files: FilesPort,
): Promise<ForeignDocument | { readonly file: string; readonly problem: string } | undefined> {
  const file = join(project, path)
  const read = await files.readText(file)
  if (read.failure === 'missing') return undefined
  if (read.failure) return { file, problem: read.message }
  if (path.endsWith('.toml')) return fromToml(read.text, file)
  const { document, diagnostics } = await parseDocument(read.text, 'json', {
    layer: 'project',
    dialect: 'foreign',
    file,
  })
  if (document) return { value: document.value, file, at: (pointer) => document.at(pointer, 'key') }
  return { file, problem: diagnostics.map(({ message }) => message).join(' ') || 'It is not valid JSON.' }
}

/** The library tells no places, so the head of a table is looked for. */
async function fromToml(text: string, file: string): Promise<ForeignDocument | { file: string; problem: string }> {
  const { parse } = await import('smol-toml')
  try {
    const value = parse(text, { maxDepth: 64 })
    const lines = text.split('\n')
    const at = (pointer: string): Source => {
      const [table = '', name] = pointer.slice(1).split('/')
      const head = name === undefined ? [`[${table}]`, `${table}.`, table] : heads(table, name)
      const line = lines.findIndex((each) => head.some((start) => each.trimStart().startsWith(start)))
      return { layer: 'project', file, ...(line === -1 ? {} : { line: line + 1, column: 1 }) }
    }
    return { value, file, at }
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { file, problem: `Not valid TOML: ${first}` }
  }
}

function heads(table: string, name: string): readonly string[] {
  return [`[${table}.${name}]`, `[${table}."${name}"]`, `[${table}.${name}.`, `${table}.${name}`, `${name} =`]
}
