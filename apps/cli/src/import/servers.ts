import { canonicalJson, type Source } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import { nodeHash, type nodePorts } from '@ext/kernel/node'
import type { ConfigSource } from '@ext/kernel/types'
import type { ServerEntry } from '@ext/mcp-client/types'
import type { Locations } from '../locations.js'

type Ports = ReturnType<typeof nodePorts>

/** A server's entry as the client understands it, and where it stands. */
export interface KnownServer {
  readonly value: ServerEntry
  readonly source: Source
}

/** What the files say that are read: of several entries of one name, the one that counts. */
export async function configuredServers(locations: Locations, ports: Ports): Promise<Map<string, KnownServer>> {
  const known = new Map<string, KnownServer>()
  // Farthest first, each alone, so that one that another file hides is known as well.
  const [managed, own] = [locations.config.filter(isManaged), locations.config.filter((each) => !isManaged(each))]
  for (const source of [...own.slice(0, 1), ...locations.claudeMcp, ...own.slice(1), ...managed]) {
    for (const each of await readSource(source, locations.project, ports)) known.set(each.value.name, each)
  }
  return known
}

/** An entry as it would be written, or what is wrong with it. */
export async function readEntry(
  name: string,
  entry: Readonly<Record<string, JsonValue>>,
  project: string,
  ports: Ports,
): Promise<{
  readonly value?: ServerEntry
  readonly problem?: string
  readonly hint?: string
  readonly notes: readonly string[]
}> {
  const value = { mcpServers: { [name]: entry } }
  const source = { kind: 'value', layer: 'project', dialect: 'ext', name: 'ext init', value } as const
  const { entries, diagnostics } = await load(source, project, ports)
  const error = diagnostics.find(({ severity }) => severity === 'error')
  const [found] = entries
  if (error || !found) {
    return { problem: error?.message ?? 'It is no server.', ...(error?.hint ? { hint: error.hint } : {}), notes: [] }
  }
  const notes = diagnostics.filter(({ severity, code }) => severity === 'warning' && code !== 'config.entry.untrusted')
  return { value: found.value, notes: notes.map(({ message, hint }) => (hint ? `${message} ${hint}` : message)) }
}

/** Whether two entries start or reach the same in the same way; how they are written does not matter. */
export function sameServer(a: ServerEntry, b: ServerEntry): boolean {
  return canonicalJson(comparable(a)) === canonicalJson(comparable(b))
}

function comparable({ tools, ...entry }: ServerEntry): JsonValue {
  const patterns = tools.patterns.map(({ pointer, tool }) => `${pointer.replace(/\/\d+$/, '')} ${tool.text}`)
  // Functions and what is absent are left out, and what they do stands in the patterns.
  return JSON.parse(JSON.stringify({ ...entry, patterns: patterns.toSorted(), perTool: tools.perTool })) as JsonValue
}

async function readSource(source: ConfigSource, project: string, ports: Ports): Promise<readonly KnownServer[]> {
  // Entries of the project are shown to whoever approves them; these are only looked at.
  const { entries } = await load({ ...source, layer: 'project' }, project, ports)
  return entries.map(({ value, at }) => ({ value, source: { ...at, layer: source.layer } }))
}

async function load(source: ConfigSource, project: string, ports: Ports) {
  const { loadServers } = await import('@ext/mcp-client')
  const entries: { readonly value: ServerEntry; readonly at: Source }[] = []
  const { diagnostics } = await loadServers({
    layers: [source],
    cwd: project,
    ports,
    hash: nodeHash(),
    approved(entry) {
      entries.push({ value: entry.value, at: entry.at('', 'key') })
      return false
    },
  })
  return { entries, diagnostics }
}

function isManaged({ layer }: ConfigSource): boolean {
  return layer === 'managed'
}
