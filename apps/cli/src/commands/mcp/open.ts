import { resolve } from 'node:path'
import { type ConfigSource, type EntryRecord, formatPlace, type Snapshot, suggest } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import type { McpClient } from '@ext/mcp-client'
import type { CompiledServer } from '@ext/mcp-client/types'
import { serverPerson } from '../../asked/person.js'
import { createTurns } from '../../asked/turns.js'
import type { Io } from '../../io.js'
import { type Locations, locate } from '../../locations.js'
import { type ServerSetup, setUpServers } from '../../servers.js'
import { type Approvals, openApprovals } from '../../trust/approvals.js'

/** What all commands about servers are told. */
export interface ServerOptions {
  readonly project: string
  readonly trustProject?: boolean
  /** Only the servers of this file, which counts as approved. */
  readonly config?: string
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
  const locations = locate(options.project, ports.env, ports.home)
  const approvals = await openApprovals({ store: locations.trustStore, approveAll: options.trustProject === true })
  const layers = options.config === undefined ? undefined : [fileOfPerson(options.config)]
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

/** What became of each configured server: of several entries of one name, the one that counts. */
export function serversOf({ records }: Pick<Snapshot<unknown>, 'records'>): readonly EntryRecord[] {
  const order: readonly EntryRecord['verdict'][] = ['shadowed', 'disabled', 'untrusted', 'broken', 'loaded']
  const rank = ({ verdict }: EntryRecord) => order.indexOf(verdict)
  const byName = new Map<string, EntryRecord>()
  for (const record of records) {
    const known = byName.get(record.name)
    if (!known || rank(record) > rank(known)) byName.set(record.name, record)
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
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
  /** When they began to be started, in milliseconds since the epoch. */
  readonly startedAt: number
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
  const wrong = unknownServer(names, opened.snapshot)
  if (wrong !== undefined) {
    io.err(`ext: ${wrong}`)
    return 2
  }
  const { createMcpClient } = await import('@ext/mcp-client')
  const { setup, snapshot } = opened
  const startedAt = Date.now()
  const layers = [...setup.options.layers, ...withoutOthers(names, snapshot)]
  const client = await createMcpClient({ ...setup.options, layers })
  const abort = () => void client.close()
  io.signal.addEventListener('abort', abort, { once: true })
  try {
    const { late } = await client.ready({ within: QUIET_MS })
    if (late.length > 0 && !io.signal.aborted) io.err(`ext: Waiting for ${late.join(', ')} …`)
    // Each has its own limit for this; here only that none of them is missed.
    const longest = Math.max(0, ...client.snapshot.entries.map(({ value }) => value.connectMs))
    await client.ready({ within: longest + 10_000 })
    return await use({ ...opened, client, startedAt })
  } finally {
    io.signal.removeEventListener('abort', abort)
    await client.close()
    await setup.close()
  }
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
  readonly ms: number
  readonly cause?: string
  readonly hint?: string
}

/** A row for each server that was asked for, also for those that could not be started at all. */
export function rowsOf(
  { client, snapshot, startedAt }: RunningServers,
  names: readonly string[],
): readonly ServerRow[] {
  const status = new Map(client.status().map((row) => [row.name, row]))
  return serversOf(snapshot)
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map((record): ServerRow => {
      const { name, verdict } = record
      const row = verdict === 'loaded' ? status.get(name) : undefined
      if (!row) return { name, state: verdict, tools: 0, ms: 0, ...why(record, snapshot) }
      const { state, tools, since, cause, hint } = row
      const ms = Math.max(0, since - startedAt)
      return { name, state, tools, ms, ...(cause ? { cause } : {}), ...(hint ? { hint } : {}) }
    })
}

function why(
  { id, verdict, source }: EntryRecord,
  { diagnostics }: Snapshot<unknown>,
): Pick<ServerRow, 'cause' | 'hint'> {
  if (verdict === 'untrusted') {
    const hint = 'Read what it would do with ext trust list, then use ext trust approve or --trust-project.'
    return { cause: 'nobody has approved it', hint }
  }
  if (verdict !== 'broken') return { cause: `configuration switched it off at ${formatPlace(source)}` }
  const found = diagnostics.find(({ entry, severity }) => entry === id && severity === 'error')
  if (!found) return {}
  return { cause: `${found.message} (${formatPlace(found.source)})`, ...(found.hint ? { hint: found.hint } : {}) }
}
