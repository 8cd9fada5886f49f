import { resolve } from 'node:path'
import { type ConfigSource, type Diagnostic, type Snapshot, suggest } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import type { McpClient } from '@ext/mcp-client'
import type { CompiledServer, McpClientOptions } from '@ext/mcp-client/types'
import { serverPerson } from '../../asked/person.js'
import { createTurns } from '../../asked/turns.js'
import { withoutSwitchedOff } from '../../compat/apply.js'
import type { Io } from '../../io.js'
import { type Locations, locate } from '../../locations.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { printable } from '../../render/words.js'
import { type ServerSetup, setUpServers } from '../../servers.js'
import { type Approvals, openApprovals } from '../../trust/approvals.js'
import { serversOf, whyNotStarted } from './records.js'

/** What all commands about servers are told. */
export interface ServerOptions {
  readonly project: string
  readonly trustProject?: boolean
  /** Only the servers of this file, which counts as approved, and the administrator's. */
  readonly config?: string
  /** Folder of the administrator's configuration. Default: that of the machine. */
  readonly managedFolder?: string
}

/** The servers as their files say. Nothing is started. */
export interface OpenedServers {
  readonly locations: Locations
  readonly approvals: Approvals
  readonly setup: ServerSetup
  readonly snapshot: Snapshot<CompiledServer>
}

export async function openServers(options: ServerOptions, io: Io): Promise<OpenedServers> {
  const { loadServers } = await import('@ext/mcp-client')
  const report = (text: string) => io.err(`ext: ${text}`)
  const ports = nodePorts(process.env, { report })
  const everywhere = locate(options.project, ports.env, ports.home, options.managedFolder)
  const { locations } = await withoutSwitchedOff(everywhere, ports.files)
  const approvals = await openApprovals({ store: locations.trustStore, approveAll: options.trustProject === true })
  // What the administrator says holds for a file that is named on the command line, too.
  const managed = locations.config.filter(({ layer }) => layer === 'managed')
  const layers = options.config === undefined ? undefined : [fileOfPerson(options.config), ...managed]
  // No model runs here, so servers can't have one think.
  const { elicitation } = serverPerson(io, createTurns())
  const setup = await setUpServers({ locations, ports, approvals, ...(layers ? { layers } : {}), elicitation, report })
  return { locations, approvals, setup, snapshot: await loadServers(setup.options) }
}

/** Whoever names a file on the command line has agreed to it. */
function fileOfPerson(path: string): ConfigSource {
  return {
    kind: 'file',
    layer: 'command-line',
    dialect: /\.json$/i.test(path) ? 'claude-mcp' : 'ext',
    path: resolve(path),
  }
}

/** What is wrong with names that a person gave, if something is. */
export function unknownServer(
  names: readonly string[],
  snapshot: Pick<Snapshot<unknown>, 'records'>,
): string | undefined {
  const known = serversOf(snapshot).map(({ name }) => name)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong === undefined) return undefined
  const meant = suggest(wrong, known)
  const rest = meant ? `Did you mean \`${meant}\`?` : 'Run ext mcp list to see them.'
  return `There is no server \`${wrong}\`. ${rest}`
}

/** Servers that run, for one command. */
export interface RunningServers extends OpenedServers {
  readonly client: McpClient
  /** Files that can't be read as a whole, so that nobody knows which servers are missing. */
  readonly unread: number
}

/** After this long a person wants to know what is waited for. */
const QUIET_MS = 500

/**
 * Starts servers, waits until each is up or has failed once, and ends them when the work is done.
 * @param names only these; default: all
 */
export async function withServers(
  options: ServerOptions,
  names: readonly string[],
  io: Io,
  use: (servers: RunningServers) => Promise<number>,
): Promise<number> {
  const opened = await openServers(options, io)
  const unread = opened.snapshot.diagnostics.filter(
    ({ entry, severity }) => entry === undefined && severity === 'error',
  )
  for (const text of await describeDiagnostics(unread, shorten(opened.locations.project))) io.err(`${text}\n`)
  const wrong = unknownServer(names, opened.snapshot)
  if (wrong !== undefined) {
    io.err(printable(`ext: ${wrong}`))
    return 2
  }
  const { createMcpClient } = await import('@ext/mcp-client')
  const { setup, snapshot } = opened
  const layers = [...setup.options.layers, ...withoutOthers(names, snapshot)]
  const client = await createMcpClient({ ...setup.options, layers, ...startingAll(setup.options) })
  const abort = () => void client.close()
  io.signal.addEventListener('abort', abort, { once: true })
  // What was said while the files were read is heard by nobody else.
  if (io.signal.aborted) abort()
  try {
    const { late } = await client.ready({ within: QUIET_MS })
    if (late.length > 0 && !io.signal.aborted) io.err(`ext: Waiting for ${late.join(', ')} …`)
    // Each has its own limit for this; here only that none of them is missed.
    const longest = Math.max(0, ...client.snapshot.entries.map(({ value }) => value.connectMs))
    await client.ready({ within: longest + 10_000 })
    return await use({ ...opened, client, unread: unread.length })
  } finally {
    io.signal.removeEventListener('abort', abort)
    await client.close()
    await setup.close()
  }
}

/** Also starts the lazy ones, and keeps what they say for the next run. */
function startingAll({ toolCache }: McpClientOptions): Pick<McpClientOptions, 'toolCache'> {
  return toolCache ? { toolCache: { ...toolCache, read: async () => undefined } } : {}
}

/** Switches those off that nobody asked for, as an entry of the session would. */
function withoutOthers(names: readonly string[], snapshot: Snapshot<CompiledServer>): readonly ConfigSource[] {
  if (names.length === 0) return []
  const others = snapshot.entries.map(({ name }) => name).filter((name) => !names.includes(name))
  const value = { mcpServers: Object.fromEntries(others.map((name) => [name, { enabled: false }])) }
  return [{ kind: 'value', layer: 'session', dialect: 'ext', name: 'ext mcp', value }]
}

/** The state of one server as a person sees it, whether it was started or not. */
export interface ServerRow {
  readonly name: string
  readonly state: string
  readonly tools: number
  /** How long its own start took, in milliseconds. */
  readonly ms: number
  readonly cause?: string
  readonly hint?: string
  /** The end of what it wrote to stderr, if it is down. */
  readonly stderrTail?: string
}

/** A row for each server that was asked for, also for those that could not be started at all. */
export function rowsOf(
  { client, snapshot }: Pick<RunningServers, 'client' | 'snapshot'>,
  names: readonly string[],
): readonly ServerRow[] {
  const status = new Map(client.status().map((row) => [row.name, row]))
  return serversOf(snapshot)
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map((record): ServerRow => {
      const { name, verdict } = record
      const row = verdict === 'loaded' ? status.get(name) : undefined
      if (!row) return { name, state: verdict, tools: 0, ms: 0, ...whyNotStarted(record, snapshot) }
      const { tools, connectMs: ms = 0, cause, hint, stderrTail } = row
      // All have been up or have failed once: who connects again is still one that failed.
      const state = row.state === 'connecting' && cause !== undefined ? 'failed' : row.state
      const words = state === 'failed' && stderrTail ? { stderrTail } : {}
      return { name, state, tools, ms, ...(cause ? { cause } : {}), ...(hint ? { hint } : {}), ...words }
    })
}

/** What there is to say about servers that were asked for; about files only if all were. */
export function diagnosticsOf({ client, snapshot }: RunningServers, names: readonly string[]): readonly Diagnostic[] {
  const wanted = snapshot.records.filter(({ name }) => names.length === 0 || names.includes(name)).map(({ id }) => id)
  const ids = new Set(wanted)
  return client.diagnostics.filter(({ entry }) => (entry === undefined ? names.length === 0 : ids.has(entry)))
}
