import type { Tool } from '@ext/kernel/contract'
import { estimateTokens } from '@ext/kernel/words'
import { type ServerCount, searchTool } from './tool.js'

/** What of all tools is listed in every session. */
export interface View {
  /** Sorted by name. */
  readonly all: readonly Tool[]
  readonly byName: ReadonlyMap<string, Tool>
  /** Listed in any case; all of them where there is no search. Sorted by name. */
  readonly core: readonly Tool[]
  /** Absent where all tools have room. */
  readonly searched?: {
    readonly servers: readonly ServerCount[]
    /** Tokens that are left for what a session finds. */
    readonly room: number
  }
  /** Tokens by which what is listed in any case is over the budget. */
  readonly excess: number
}

/** @param isCore whether a tool is listed in any case */
export function viewOf(
  { tools: all, byName }: { readonly tools: readonly Tool[]; readonly byName: ReadonlyMap<string, Tool> },
  budget: number,
  isCore: (tool: Tool) => boolean,
): View {
  const total = tokensOfAll(all)
  if (total <= budget) return { all, byName, core: all, excess: 0 }
  const core = all.filter(isCore)
  if (core.length === all.length) return { all, byName, core, excess: total - budget }
  const servers = countByServer(all, new Set(core))
  const listed = tokensOfAll(core) + tokensOf(searchTool(servers, NEVER))
  return {
    all,
    byName,
    core,
    searched: { servers, room: Math.max(0, budget - listed) },
    excess: Math.max(0, listed - budget),
  }
}

/** What the definition of a tool takes of a prompt. */
export function tokensOf({ name, description, inputSchema, modelSchema = inputSchema }: Tool): number {
  return estimateTokens(JSON.stringify({ name, description, inputSchema: modelSchema }))
}

function tokensOfAll(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + tokensOf(tool), 0)
}

function countByServer(tools: readonly Tool[], listed: ReadonlySet<Tool>): readonly ServerCount[] {
  const counts = new Map<string, number>()
  for (const tool of tools) {
    const { server = '' } = tool.source
    if (!listed.has(tool)) counts.set(server, (counts.get(server) ?? 0) + 1)
  }
  return [...counts].map(([server, count]) => ({ server, tools: count }))
}

/** For its size only. */
const NEVER = () => Promise.reject(new Error('nobody searches'))
