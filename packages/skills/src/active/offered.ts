import type { AuthorizeRequest, SessionRef, ToolTable } from '@ext/kernel/contract'
import { resolvePath } from '@ext/kernel/match'
import type { SnapshotEntry } from '@ext/kernel/types'
import { foldName } from '../names.js'
import type { Skill } from '../types.js'

/** Where well-known tools hold their path, for tools that no table lists. */
const PATH_FIELDS = ['file_path', 'notebook_path', 'path']

/** The skills with `paths` of which a path has been touched in a session, by their names. */
export class OfferedSkills {
  readonly #names = new Set<string>()
  readonly #cwd: string
  readonly #home: string
  readonly #tools: ToolTable

  constructor({ cwd }: SessionRef, home: string, tools: ToolTable) {
    this.#cwd = cwd
    this.#home = home
    this.#tools = tools
  }

  isEmpty(): boolean {
    return this.#names.size === 0
  }

  names(): readonly string[] {
    return [...this.#names]
  }

  add(names: Iterable<string>): void {
    for (const name of names) this.#names.add(name)
  }

  has({ name }: Skill): boolean {
    return this.#names.has(foldName(name))
  }

  /** @returns whether there is one more */
  see(request: AuthorizeRequest, entries: readonly SnapshotEntry<Skill>[]): boolean {
    let more = false
    let paths: readonly string[] | undefined
    for (const { name, value } of entries) {
      if (!value.paths || this.#names.has(name)) continue
      paths ??= this.#pathsOf(request)
      if (!paths.some((path) => value.paths?.test(path))) continue
      this.#names.add(name)
      more = true
    }
    return more
  }

  #pathsOf({ call, tool }: AuthorizeRequest): readonly string[] {
    const entry = Object.hasOwn(this.#tools, tool.name) ? this.#tools[tool.name] : undefined
    // What a server calls its fields says nothing, unless the table says so.
    const fields =
      entry?.path === undefined ? (tool.source.server === undefined ? PATH_FIELDS : []) : [entry.path].flat()
    const values = fields.flatMap((field) => (Object.hasOwn(call.input, field) ? [call.input[field]].flat() : []))
    const anchors = { cwd: this.#cwd, home: this.#home }
    return values.flatMap((value) => (typeof value === 'string' ? [resolvePath(value, anchors)] : []))
  }
}
