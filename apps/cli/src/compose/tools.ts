import type { NamedTool } from '@ext/agent-core/agents'
import type { EntryRecord, Snapshot } from '@ext/kernel'
import type { McpClient } from '@ext/mcp-client'
import type { CompiledServer } from '@ext/mcp-client/types'
import { OWN_TOOL_NAMES } from '../own-tools.js'
import type { ServerCommand } from '../tool-table.js'

export const OWN_TOOLS: readonly NamedTool[] = OWN_TOOL_NAMES.map((name) => ({
  name,
  source: { tool: name, trusted: true },
}))

/** As long as the tools of one server are not known, nobody can say that a matcher fits none. */
export function knowsAllTools(servers: readonly EntryRecord[], mcp: McpClient | undefined): boolean {
  const ready = new Set(
    mcp?.status().flatMap(({ name, state }) => (state === 'ready' || state === 'idle' ? [name] : [])),
  )
  return servers.every(({ name, verdict }) => {
    if (verdict === 'loaded') return ready.has(name)
    return verdict === 'shadowed' || verdict === 'disabled'
  })
}

/** What is started for servers, by which some of their tools are known. */
export function startedServers({ entries }: Snapshot<CompiledServer>): readonly ServerCommand[] {
  return entries.flatMap(({ name, value }) => {
    const endpoint = value.endpoint()
    return endpoint.kind === 'stdio' ? [{ name, command: endpoint.command }] : []
  })
}
