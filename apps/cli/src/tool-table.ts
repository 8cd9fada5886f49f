import type { Command } from '@ext/kernel'
import type { ToolLikeness, ToolTable } from '@ext/kernel/contract'

/** `toolName` of `@ext/mcp-client`, which is imported when it is needed. */
type ToolName = (server: string, tool: string) => string

/** What would be started for a server. */
export interface ServerCommand {
  readonly name: string
  readonly command: Command
}

const OWN_TOOLS: Readonly<Record<string, ToolLikeness>> = {
  Bash: { as: 'Bash', command: 'command' },
  Read: { as: 'Read', path: 'file_path' },
  Write: { as: 'Write', path: 'file_path' },
  Edit: { as: 'Edit', path: 'file_path' },
  Glob: { as: 'Glob', path: 'path' },
  Grep: { as: 'Grep', path: 'path' },
  WebFetch: { as: 'WebFetch', url: 'url' },
  agent: { as: 'Agent' },
  load_skill: { as: 'Skill' },
  list_mcp_resources: { as: 'ListMcpResourcesTool' },
  read_mcp_resource: { as: 'ReadMcpResourceTool' },
  task_output: { as: 'TaskOutput' },
  task_stop: { as: 'TaskStop' },
}

const FILESYSTEM_TOOLS: Readonly<Record<string, ToolLikeness>> = {
  read_file: { as: 'Read', path: 'path' },
  read_text_file: { as: 'Read', path: 'path' },
  read_multiple_files: { as: 'Read', path: 'paths' },
  read_media_file: { as: 'Read', path: 'path' },
  list_directory: { as: 'Read', path: 'path' },
  list_directory_with_sizes: { as: 'Read', path: 'path' },
  directory_tree: { as: 'Read', path: 'path' },
  search_files: { as: 'Read', path: 'path' },
  get_file_info: { as: 'Read', path: 'path' },
  write_file: { as: 'Edit', path: 'path' },
  edit_file: { as: 'Edit', path: 'path' },
  create_directory: { as: 'Edit', path: 'path' },
  move_file: { as: 'Edit', path: ['source', 'destination'] },
}

/**
 * Which tools of this host are like which well-known one, so that `deny: Edit(.env)` holds for all of them. Tools of
 * an MCP server count when its command names the official filesystem server, whatever the server is called here.
 */
export function toolTable(servers: readonly ServerCommand[], toolName: ToolName): ToolTable {
  const table: Record<string, ToolLikeness> = { ...OWN_TOOLS }
  for (const server of servers) {
    const words = 'file' in server.command ? [server.command.file, ...server.command.args] : [server.command.script]
    if (!words.some((word) => word.includes('@modelcontextprotocol/server-filesystem'))) continue
    for (const [tool, likeness] of Object.entries(FILESYSTEM_TOOLS)) table[toolName(server.name, tool)] = likeness
  }
  return table
}

/** The same for servers that may change: whoever holds the table sees it as it is now. */
export function liveToolTable(toolName: ToolName): {
  readonly table: ToolTable
  update(servers: readonly ServerCommand[]): void
} {
  const table: Record<string, ToolLikeness> = {}
  return {
    table,
    update(servers) {
      const next = toolTable(servers, toolName)
      for (const name of Object.keys(table)) if (!Object.hasOwn(next, name)) delete table[name]
      Object.assign(table, next)
    },
  }
}
