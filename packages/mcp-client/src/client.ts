import { compareText, type Snapshot, sortDiagnostics, suggest } from '@ext/kernel'
import type { ToolResult } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import { connectStdio } from './connect/sdk.js'
import { loadServers } from './load.js'
import { buildCatalog, type Catalog } from './registry/catalog.js'
import { failure } from './results/failure.js'
import { Server } from './server.js'
import type { CompiledServer, McpClient, McpClientOptions, ReadyReport, ServerState, ServerStatus } from './types.js'

const READY_MS = 2000
const CLOSE_MS = 5000

/**
 * Reads the configuration and begins to connect to all servers at once; waits for none of them (see `ready`).
 * Bad entries and servers become diagnostics and cost only themselves.
 * @throws ExtError `kernel.reader.unknown` when a layer has a dialect that is not read here
 */
export async function createMcpClient(options: McpClientOptions): Promise<McpClient> {
  const { clock, process } = options.ports
  const snapshot = await loadServers(options)
  let catalog: Catalog = buildCatalog([])
  let closing: Promise<void> | undefined
  const listeners = new Set<() => void>()

  const changed = () => {
    const next = buildCatalog(servers)
    const { tools } = catalog
    const same = next.tools.length === tools.length && next.tools.every((tool, index) => tool === tools[index])
    catalog = same ? { ...next, tools } : next
    for (const listener of listeners) {
      // Not from here: a listener that throws must not end up in the life of a server.
      queueMicrotask(() => {
        if (listeners.has(listener)) listener()
      })
    }
  }
  const loadedAt = clock.now()
  const servers = snapshot.entries.map(
    (entry) =>
      new Server(entry, { clock, connect: (launch) => connectStdio(launch, process, options.clientInfo), changed }),
  )
  const named = (state: ServerState) => servers.filter((server) => server.state === state).map(({ name }) => name)
  const tools = () => catalog.tools
  const close = () => {
    closing ??= within(clock, CLOSE_MS, Promise.all(servers.map((server) => server.close())))
    return closing
  }

  return {
    async ready({ within: budget = READY_MS } = {}): Promise<ReadyReport> {
      await within(clock, budget, Promise.all(servers.map((server) => server.settled)))
      return { ready: named('ready'), late: named('connecting'), failed: named('failed') }
    },
    session: () => ({ tools }),
    tools,
    async call(name, input, { signal } = {}) {
      signal?.throwIfAborted()
      const source = catalog.byName.get(name)?.source
      const server = servers.find((each) => (source ? each.name === source.server : each.knows(name)))
      if (!server) return unknownTool(name, catalog)
      return source ? server.call(source.tool, input, signal) : server.unavailable()
    },
    status: () =>
      [...servers.map((server) => server.status), ...idle(snapshot, loadedAt)].sort((a, b) =>
        compareText(a.name, b.name),
      ),
    snapshot,
    get diagnostics() {
      return sortDiagnostics([
        ...snapshot.diagnostics,
        ...servers.flatMap((server) => server.diagnostics),
        ...catalog.diagnostics,
      ])
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Servers that are configured and not started. */
function idle(snapshot: Snapshot<CompiledServer>, since: number): readonly ServerStatus[] {
  const rows = new Map<string, ServerStatus>()
  for (const { name, verdict, source } of snapshot.records) {
    if (verdict !== 'untrusted' && verdict !== 'disabled') continue
    if (snapshot.entries.some((entry) => entry.name === name)) continue
    rows.set(name, { name, state: verdict, since, tools: 0, source })
  }
  return [...rows.values()]
}

function unknownTool(name: string, catalog: Catalog): ToolResult {
  const near = suggest(name, catalog.byName.keys())
  return failure({
    phase: 'find',
    kind: 'protocol',
    text: `There is no tool \`${name}\`.`,
    hint: near ? `Did you mean \`${near}\`?` : 'Use one of the tools that are listed.',
  })
}

/** Resolves when `done` does, or when the time is up. */
async function within(clock: ClockPort, ms: number, done: Promise<unknown>): Promise<void> {
  let cancel = () => {}
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([done, timeUp])
  cancel()
}
