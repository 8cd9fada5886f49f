import {
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  isMap,
  type Located,
  type Source,
  type SourceRef,
  suggest,
  wrongShape,
} from '@ext/kernel'
import { PolicyFiles } from '@ext/kernel/policy'
import { diagnosticCodes } from '../codes.js'
import type { ServerEntry } from './entry.js'

const report = createReporter(diagnosticCodes)

const KEY = 'disabledMcpjsonServers'

/** A server that somebody has said no to, and where. */
interface Rejection {
  readonly name: string
  readonly source: SourceRef
  at(): Source
}

/**
 * Servers of an `.mcp.json` that settings of Claude Code say no to: whoever declines one there has it written down in
 * `disabledMcpjsonServers`. Any file may say no, and none takes the no of another back. Files tell it while a load reads
 * them, and it is asked when all are read.
 */
export class Rejections {
  readonly #files = new PolicyFiles<readonly Rejection[]>()
  #found = new Set<string>()
  #off = new Map<string, Diagnostic>()

  /** Before each load. */
  begin(): void {
    this.#files.begin()
    this.#found = new Set()
    this.#off = new Map()
  }

  /** Takes what a settings file says no to, and says what can't be understood of it. */
  read(document: ConfigDocument): readonly Diagnostic[] {
    const list = isMap(document.value) ? document.value[KEY] : undefined
    const { source } = document
    if (list === undefined || list === null) return []
    if (!Array.isArray(list)) return [wrongShape(document, `/${KEY}`, 'a list of names', list)]
    const rejections: Rejection[] = []
    const diagnostics: Diagnostic[] = []
    for (const [index, name] of list.entries()) {
      const pointer = `/${KEY}/${index}`
      if (typeof name === 'string') rejections.push({ name, source, at: () => document.at(pointer) })
      else diagnostics.push(wrongShape(document, pointer, 'the name of a server', name))
    }
    this.#files.take(source, rejections)
    return diagnostics
  }

  /** A file that can't be read now says what it said before. */
  keep(source: SourceRef): void {
    this.#files.keep(source)
  }

  /** Names of servers that an `.mcp.json` has, also of those that are broken. */
  saw(names: readonly string[]): void {
    for (const name of names) this.#found.add(name)
  }

  /** Whether nobody has said no to a server. Asked of every entry of a load. */
  allows(entry: Located<ServerEntry>): boolean {
    if (entry.source.dialect !== 'claude-mcp') return true
    const { name } = entry.value
    const rejection = this.#files.all.flat().find((each) => each.name === name)
    if (rejection) this.#off.set(entry.id, sayOff(entry, rejection))
    return rejection === undefined
  }

  /** What is off for it, and names that no server has. */
  get findings(): readonly Diagnostic[] {
    const unknown = this.#files.all.flat().filter(({ name }) => !this.#found.has(name))
    return [...this.#off.values(), ...unknown.flatMap((each) => sayUnknown(each, [...this.#found]))]
  }
}

function sayOff(entry: Located<ServerEntry>, { at }: Rejection): Diagnostic {
  const message = `\`${entry.value.name}\` stays off: \`${KEY}\` of Claude Code's settings names it.`
  return report.info('mcp.rejected.off', entry.at(), message, {
    entry: entry.id,
    pointer: entry.pointer,
    hint: 'Remove it from that list if it is to run.',
    related: [{ message: 'somebody has said no to it', source: at() }],
  })
}

/** A person's own settings may be about servers of other projects. */
function sayUnknown({ name, source, at }: Rejection, found: readonly string[]): readonly Diagnostic[] {
  const typo = suggest(name, found)
  if (source.layer === 'user' && typo === undefined) return []
  const hint = typo ? `Did you mean \`${typo}\`?` : 'Remove it, or check its spelling.'
  return [report.warning('mcp.rejected.unknown', at(), `No \`.mcp.json\` has a server \`${name}\`.`, { hint })]
}
