import { compareText, createReloader, sortDiagnostics } from '@ext/kernel'
import { Fleet } from './client/fleet.js'
import { Guard } from './client/guard.js'
import { Idle } from './client/idle.js'
import { Listeners } from './client/listeners.js'
import { promptsOf, resourcesOf } from './client/offers.js'
import { resourceTools } from './client/resource-tools.js'
import { serverHost } from './client/server-host.js'
import { within } from './client/within.js'
import { unknownTool } from './explain/calls.js'
import { serverConfig } from './load.js'
import { buildCatalog, type Catalog } from './registry/catalog.js'
import { ToolSearch } from './search/search.js'
import { isUp, type Life } from './server/state.js'
import { unsent, withFacts } from './server/track.js'
import { Usage } from './server/usage.js'
import type { Applied, McpClient, McpClientOptions, ReadyReport, SessionTools } from './types.js'

const READY_MS = 2000
const CLOSE_MS = 5000
/** After KILL, for the machine to notice. */
const KILL_MS = 500
const NOTHING: Applied = { added: [], removed: [], restarted: [], changed: [], unchanged: [] }

/**
 * Reads the configuration and begins to connect to all servers at once; waits for none of them (see `ready`).
 * Bad entries and servers become diagnostics and cost only themselves.
 * @throws ExtError `kernel.reader.unknown` when a layer has a dialect that is not read here
 */
export async function createMcpClient(options: McpClientOptions): Promise<McpClient> {
  const { ports, approved, ending = {} } = options
  const { clock } = ports
  const { totalMs = CLOSE_MS } = ending
  const config = serverConfig(options)
  const reloader = await createReloader({
    pipeline: config.pipeline,
    sources: options.layers,
    context: config.context,
    host: { files: ports.files, ...(approved ? { approved } : {}) },
  })
  const guard = new Guard()
  const listeners = new Listeners(guard)
  const idle = new Idle()
  let catalog: Catalog = buildCatalog([])
  /** While many servers change in one step, nobody sees a list in between. */
  let isReconciling = false
  let applying: Promise<unknown> = Promise.resolve()
  let closing: Promise<void> | undefined

  const changed = () => {
    if (isReconciling) return
    const hasResources = fleet.servers.some((server) => server.has('resources'))
    const next = buildCatalog(fleet.servers, hasResources ? [...own.values()].map(({ tool }) => tool) : [])
    const { tools } = catalog
    const same = next.tools.length === tools.length && next.tools.every((tool, index) => tool === tools[index])
    catalog = same ? { ...next, tools } : next
    listeners.tell()
  }
  const usage = new Usage()
  const host = serverHost(options, { guard, usage, changed, totalMs })
  const fleet = new Fleet(host)
  const resources = resourcesOf(fleet)
  /** Tools that are no server's. */
  const own = new Map(
    options.resourceTools === false ? [] : resourceTools(resources).map((each) => [each.tool.name, each]),
  )

  const reconcile = () => {
    isReconciling = true
    try {
      idle.update(reloader.store.current, config.findings(), clock.now())
      return fleet.reconcile(reloader.store.current)
    } finally {
      isReconciling = false
      changed()
    }
  }
  const end = async () => {
    reloader.close()
    const ended = fleet.close(host.patience)
    changed()
    await within(clock, totalMs, ended)
    await within(clock, KILL_MS, fleet.close({ waitMs: 0, graceMs: 0 }))
  }
  const close = () => {
    closing ??= end()
    return closing
  }
  const tools = () => {
    for (const server of fleet.servers) server.wanted()
    return catalog.tools
  }
  const listed: SessionTools = { tools, tool: (name) => catalog.byName.get(name) }
  const search =
    options.search &&
    new ToolSearch(options.search, {
      catalog: () => catalog,
      snapshot: () => reloader.store.current,
      instructions: (server) => fleet.get(server)?.instructions,
      usage: ({ source }) => usage.of(source.server ?? '', source.tool),
    })
  reconcile()

  return {
    async ready({ within: budget = READY_MS } = {}): Promise<ReadyReport> {
      const { servers } = fleet
      await within(clock, budget, Promise.all(servers.map(({ settled }) => settled)))
      const open = fleet.servers.filter(({ life }) => life.state !== 'closed')
      const names = (fits: (server: (typeof open)[number]) => boolean) => open.filter(fits).map(({ name }) => name)
      const idle = names(({ life, hasSettled }) => hasSettled && life.state === 'idle')
      return {
        ready: names(({ life }) => isUp(life)),
        late: names((server) => isLate(server)),
        failed: names((server) => !isUp(server.life) && server.life.state !== 'idle' && !isLate(server)),
        ...(idle.length > 0 ? { idle } : {}),
      }
    },
    session: () => search?.session() ?? listed,
    tools,
    async call(name, input, callOptions = {}) {
      callOptions.signal?.throwIfAborted()
      const tool = catalog.byName.get(name)
      const ours = tool && own.get(name)
      if (ours) return ours.call(input, callOptions)
      const server = tool ? fleet.get(tool.source.server ?? '') : fleet.servers.find((each) => each.knows(name))
      if (!server) {
        const result = unknownTool(name, catalog.byName.keys())
        const facts = unsent(result)
        host.onCall?.({ name, ...facts })
        return withFacts(result, facts)
      }
      return tool ? server.call(tool, input, callOptions) : server.callUnlisted(name, input, callOptions)
    },
    resources,
    prompts: promptsOf(fleet),
    status: () =>
      [...fleet.servers.map(({ status }) => status), ...idle.rows].sort((a, b) => compareText(a.name, b.name)),
    held: () => fleet.servers.flatMap(({ held }) => held).sort((a, b) => compareText(a.name, b.name)),
    hidden: () =>
      fleet.servers
        .flatMap(({ hidden }) => hidden)
        .sort((a, b) => compareText(a.server, b.server) || compareText(a.tool, b.tool)),
    approve: async (server, names) => (await fleet.get(server)?.approve(names)) ?? [],
    apply(layers) {
      const applied = applying.then(async () => {
        if (closing) return NOTHING
        await reloader.reload(layers)
        if (closing) return NOTHING
        const applied = reconcile()
        for (const server of fleet.servers) server.tellRoots()
        return applied
      })
      applying = applied.catch(() => {})
      return applied
    },
    get snapshot() {
      return reloader.store.current
    },
    get diagnostics() {
      return sortDiagnostics([
        ...reloader.store.current.diagnostics,
        ...config.findings(),
        ...fleet.servers.flatMap(({ diagnostics }) => diagnostics),
        ...catalog.diagnostics,
        ...(search?.diagnostics ?? []),
        ...guard.diagnostics,
      ])
    },
    onChange: (listener) => listeners.add(listener),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** It is connecting for the first time. One that is connected to again has a reason for it. */
function isLate({ life, hasSettled }: { readonly life: Life; readonly hasSettled: boolean }): boolean {
  return !hasSettled || (life.state === 'connecting' && life.cause === undefined)
}
