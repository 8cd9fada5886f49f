import type { ToolSourceInfo, ToolTable } from '@ext/kernel/contract'

/** What a rule needs to know of a tool; every `ToolInfo` is one. */
export interface RuleTool {
  readonly name: string
  readonly source: Pick<ToolSourceInfo, 'server' | 'tool'>
}

export type ToolFamily = 'Read' | 'Edit'

/** A tool of the rule language: what it is about, and which input field says so. */
export interface KnownTool {
  readonly family?: ToolFamily
  readonly command?: string
  readonly path?: string | readonly string[]
  /** The path is a folder that is searched, the working folder when it is left out. */
  readonly searches?: boolean
  /** Field with a glob that may itself begin with a path. */
  readonly glob?: string
  readonly url?: string
  /** Fields with the name of what is started: a sub-agent, a skill. */
  readonly target?: readonly string[]
  /** Fields with what it is called with. */
  readonly targetArgs?: readonly string[]
  /** Without the target something of the host's choice is started. */
  readonly targetOptional?: boolean
}

const AGENT: KnownTool = { target: ['subagent_type'], targetOptional: true }

const KNOWN_TOOLS: Readonly<Record<string, KnownTool>> = {
  Bash: { command: 'command' },
  Read: { family: 'Read', path: 'file_path' },
  NotebookRead: { family: 'Read', path: 'notebook_path' },
  LS: { family: 'Read', path: 'path', searches: true },
  Grep: { family: 'Read', path: 'path', searches: true, glob: 'glob' },
  Glob: { family: 'Read', path: 'path', searches: true, glob: 'pattern' },
  Edit: { family: 'Edit', path: 'file_path' },
  Write: { family: 'Edit', path: 'file_path' },
  MultiEdit: { family: 'Edit', path: 'file_path' },
  NotebookEdit: { family: 'Edit', path: 'notebook_path' },
  WebFetch: { url: 'url' },
  Agent: AGENT,
  Task: AGENT,
  Skill: { target: ['skill', 'name'], targetArgs: ['args', 'arguments'] },
}

export const KNOWN_TOOL_NAMES: readonly string[] = Object.keys(KNOWN_TOOLS)

/** Tools of programs that read the same rules and that have no specifier here; no host has all of them. */
export const OTHER_TOOL_NAMES: readonly string[] =
  `AskUserQuestion BashOutput Cd Config EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash KillShell LSP
  ListMcpResourcesTool Monitor PowerShell ReadMcpResourceTool SendMessage SlashCommand TaskCreate TaskGet TaskList
  TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebSearch`.split(/\s+/)

/** Whether a name is that of a tool in another case, and no tool has this very name. */
export function isOtherCase(name: string, tools: ToolTable): boolean {
  if (Object.hasOwn(tools, name) || Object.hasOwn(KNOWN_TOOLS, name)) return false
  const wanted = name.toLowerCase()
  return [...KNOWN_TOOL_NAMES, ...Object.keys(tools)].some((other) => other.toLowerCase() === wanted)
}

export function knownTool(name: string): KnownTool | undefined {
  return Object.hasOwn(KNOWN_TOOLS, name) ? KNOWN_TOOLS[name] : undefined
}

/** A tool as the rule language sees it. */
export interface ToolLikenessFound extends KnownTool {
  readonly as: string
}

/** A tool that is called, with what the table says about it. */
export interface CalledTool {
  readonly tool: RuleTool
  /** `undefined` for a tool of a server that the tool table does not list. */
  readonly like: ToolLikenessFound | undefined
}

export type ToolTest = (called: CalledTool) => boolean

/**
 * What the table says about a tool of this name. A tool without an entry is like itself, unless it comes from a
 * server: what a server calls its tool says nothing about what it does.
 */
export function likenessOf(name: string, tools: ToolTable, server?: string): ToolLikenessFound | undefined {
  const entry = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (!entry) return server === undefined ? { as: name, ...knownTool(name) } : undefined
  const { as, path, command, url } = entry
  return {
    as,
    ...knownTool(as),
    ...(path === undefined ? {} : { path }),
    ...(command === undefined ? {} : { command }),
    ...(url === undefined ? {} : { url }),
  }
}
