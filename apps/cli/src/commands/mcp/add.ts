import { relative } from 'node:path'
import { setInYaml } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import { nodeEditFiles } from '@ext/kernel/node'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { printable } from '../../render/words.js'
import { type AddOptions, entryOf, literalSecrets, type WrittenEntry } from './entry.js'
import { type OpenedServers, openServers } from './open.js'
import { fileOf, placeOf, unchanged } from './own-files.js'

/** Writes a server into one of the person's files. Comments in there stay. */
export async function add(name: string, command: readonly string[], options: AddOptions, io: Io): Promise<number> {
  const usage = (text: string) => {
    io.err(printable(`ext: ${text}`))
    return 2
  }
  const { entry, problem } = asked(entryOf(command, options))
  if (entry === undefined) return usage(problem)
  const opened = await openServers(options, io)
  const file = fileOf(options.scope, opened.locations)
  if (file === undefined) return usage(`Here the file of the ${options.scope} is your own; use --scope user.`)
  if (!(await isWellFormed(name, entry, opened, io))) return 2
  const there = opened.snapshot.records.find((record) => record.name === name && record.source.file === file)
  if (there && !options.force) {
    return usage(`\`${name}\` is there already, at ${placeOf(there)}. Use --force to replace it.`)
  }
  for (const text of literalSecrets(entry)) io.err(printable(`ext: ${text}`))
  let failed: string | undefined
  const written = await nodeEditFiles().edit(file, async (text) => {
    const edit = await setInYaml(text ?? '', ['mcpServers', name], entry as JsonValue)
    failed = edit.problem
    return edit.text
  })
  const failure = failed ?? written.failure
  if (failure !== undefined) {
    io.err(printable(`ext: ${unchanged(`Nothing was written to ${file}`, failure)}`))
    return 1
  }
  const short = shorten(opened.locations.project)
  io.out(printable(`${there ? 'Replaced' : 'Added'} \`${name}\` in ${short(file)}.`))
  return settle(name, file, options, io)
}

function asked(made: ReturnType<typeof entryOf>): { readonly entry?: WrittenEntry; readonly problem: string } {
  return made.problem === undefined ? { entry: made.entry, problem: '' } : { problem: made.problem }
}

/** What no file would be read with is not written into one. */
async function isWellFormed(name: string, entry: WrittenEntry, { setup }: OpenedServers, io: Io): Promise<boolean> {
  const { loadServers } = await import('@ext/mcp-client')
  const value = { mcpServers: { [name]: entry } }
  const layers = [{ kind: 'value', layer: 'command-line', dialect: 'ext', name: 'ext mcp add', value }] as const
  const { diagnostics } = await loadServers({ ...setup.options, layers })
  const relevant = diagnostics.filter(({ severity }) => severity !== 'info')
  for (const text of await describeDiagnostics(relevant, (each) => each)) io.err(`${text}\n`)
  // A variable that is not set yet keeps nothing from being written.
  return !relevant.some(({ severity }) => severity === 'error')
}

/** Records that the person who has just written it agrees to it, and says what becomes of it. */
async function settle(name: string, file: string, options: AddOptions, io: Io): Promise<number> {
  const { approvals, setup, snapshot, locations } = await openServers(options, io)
  const own = snapshot.records.filter((record) => record.name === name && record.source.file === file)
  const { refused } = await approvals.trust.approve(approvals.trust.pending(setup.waiting(own)))
  for (const { message } of refused) io.err(printable(`ext: ${message}`))
  const nearer = own.some(({ verdict }) => verdict === 'shadowed')
    ? snapshot.records.find((record) => record.name === name && record.verdict !== 'shadowed')
    : undefined
  if (nearer) {
    const place = placeOf(nearer).replace(`${locations.project}/`, '')
    io.err(printable(`ext: It has no effect here: the entry at ${place} is nearer.`))
  }
  const project = relative(process.cwd(), locations.project)
  io.out(printable(`Try it with ext mcp test ${name}${project === '' ? '' : ` --project ${project}`}.`))
  return refused.length > 0 ? 1 : 0
}
