import type { ToolInfo, ToolTable } from '@ext/kernel/contract'
import type { AgentDefinition } from './definition.js'

/** What the name of a tool is held against; every `ToolInfo` is one. */
export type NamedTool = Pick<ToolInfo, 'name' | 'source'>

const SERVER = 'mcp__'
/** Tools that have been renamed; files still use the former name. */
const RENAMED: Readonly<Record<string, string>> = { Task: 'Agent', MultiEdit: 'Edit' }

/**
 * Whether a name of a tool list means this tool: by its name, by what the table says that it is like, `mcp__server` for
 * all of a server, or `*` at the end for all that start so. Which server a tool comes from is never read from its name.
 */
export function toolMatches(pattern: string, tool: NamedTool, table: ToolTable): boolean {
  const { server, tool: ownName } = tool.source
  if (pattern === tool.name) return true
  if (server !== undefined && pattern.startsWith(SERVER)) {
    return matchesServer(pattern.slice(SERVER.length), server, ownName)
  }
  const wanted = [pattern, ...(Object.hasOwn(RENAMED, pattern) ? [RENAMED[pattern] ?? pattern] : [])]
  const names = [tool.name, likenessOf(tool.name, table) ?? tool.name]
  return wanted.some((each) => names.some((name) => fits(each, name)))
}

/** Whether an agent may use a tool of the agent that starts it. Tools of the agent itself need not be in `tools`. */
export function mayUseTool(
  { tools, disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
  tool: ToolInfo,
  table: ToolTable,
): boolean {
  if (disallowedTools?.some((pattern) => takesAway(pattern, tool, table))) return false
  return tools === undefined || tool.system === true || tools.some((pattern) => toolMatches(pattern, tool, table))
}

/** What is taken away is taken in every reading and in any case: `mcp__git__*` also means a server called `git__hub`. */
function takesAway(pattern: string, tool: NamedTool, table: ToolTable): boolean {
  if (toolMatches(pattern, tool, table)) return true
  const wanted = pattern.toLowerCase()
  return [tool.name, likenessOf(tool.name, table) ?? tool.name].some((each) => {
    const name = each.toLowerCase()
    return fits(wanted, name) || (wanted.startsWith(SERVER) && name.startsWith(`${wanted}__`))
  })
}

/** @param text what follows `mcp__`: a server, or a server and its tools */
function matchesServer(text: string, server: string, tool: string): boolean {
  // `git__*` is the server `git`, not every server whose name starts with `git__`.
  if (text === server || (!text.includes('__') && fits(text, server))) return true
  return text.startsWith(`${server}__`) && fits(text.slice(server.length + 2), tool)
}

function likenessOf(name: string, table: ToolTable): string | undefined {
  return Object.hasOwn(table, name) ? table[name]?.as : undefined
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
