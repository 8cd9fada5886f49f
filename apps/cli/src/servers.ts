import type { ConfigSource, EntryRecord, Located } from '@ext/kernel'
import type { nodePorts } from '@ext/kernel/node'
import type { TrustSubject } from '@ext/kernel/trust'
import type {
  CompiledServer,
  ElicitationPort,
  McpClientOptions,
  Provider,
  SamplingPort,
  ServerEntry,
} from '@ext/mcp-client/types'
import type { Locations } from './locations.js'
import { version } from './package.js'
import type { Approvals } from './trust/approvals.js'
import { serverSubject } from './trust/server-subject.js'

/**
 * Definitions of tools may take so many tokens of a prompt; where there are more, the model searches them. A tenth of the
 * context of models with 200,000.
 */
const TOOL_TOKENS = 20_000

/** How MCP servers are read and started here, for runs and for `ext mcp` alike. */
export interface ServerSetup {
  readonly options: McpClientOptions
  /** What waits for the person, of the entries that would take effect. */
  waiting(records: readonly EntryRecord[]): readonly TrustSubject[]
  /** As written, entries that a person is or was asked about, by their id. */
  readonly asked: ReadonlyMap<string, ServerEntry>
  /** Resolves once everything that servers have said is in its files. */
  close(): Promise<void>
}

export async function setUpServers(options: {
  readonly locations: Locations
  readonly ports: ReturnType<typeof nodePorts>
  readonly approvals: Approvals
  /** Default: the files of the project and the person. */
  readonly layers?: readonly ConfigSource[]
  /** Whose model is used, as far as its rules for tools are known. */
  readonly provider?: Provider | undefined
  /** What servers may ask of the person and of the model. */
  readonly elicitation?: ElicitationPort
  readonly sampling?: SamplingPort
  report(text: string): void
}): Promise<ServerSetup> {
  const { nodeLogs, nodePins, nodeSpill, nodeToolCache } = await import('@ext/mcp-client/node')
  const { locations, ports, approvals, provider, elicitation, sampling, report } = options
  const { project, config, claudeMcp, claudeMcpSettings, mcp } = locations
  const axis = approvals.axis<ServerEntry>((entry) => serverSubject(entry, project))
  const asked = new Map<string, ServerEntry>()
  const logs = nodeLogs({ folder: mcp.logs, report })
  return {
    options: {
      layers: options.layers ?? [...config, ...claudeMcp, ...claudeMcpSettings],
      cwd: project,
      ports,
      hash: approvals.hash,
      clientInfo: { name: 'ext', version },
      approved(entry: Located<ServerEntry>) {
        asked.set(entry.id, entry.value)
        return axis.approved(entry)
      },
      pins: nodePins({ folder: mcp.pins }),
      toolCache: nodeToolCache({ folder: mcp.cache }),
      search: { tokens: TOOL_TOKENS },
      ...(provider ? { provider } : {}),
      spill: nodeSpill({ folder: mcp.results }),
      onLog: logs.onLog,
      logLevel: 'info',
      roots: (server) => (hasFolders(server) ? undefined : [project]),
      ...(elicitation ? { elicitation } : {}),
      ...(sampling ? { sampling } : {}),
    },
    waiting: axis.waiting,
    asked,
    close: () => logs.close(),
  }
}

/** The official filesystem server that is told of roots works in these, and not in the folders that its entry names. */
function hasFolders({ endpoint }: CompiledServer): boolean {
  const found = endpoint()
  if (found.kind !== 'stdio' || !('file' in found.command)) return false
  const words = [found.command.file, ...found.command.args]
  const at = words.findIndex((word) => word.includes('@modelcontextprotocol/server-filesystem'))
  return at !== -1 && words.slice(at + 1).some((word) => !word.startsWith('-'))
}
