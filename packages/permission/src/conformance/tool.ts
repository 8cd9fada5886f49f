import type { ToolInfo, ToolKind, ToolSourceInfo } from '@ext/kernel/contract'

const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: 'exec',
  Read: 'read',
  NotebookRead: 'read',
  LS: 'read',
  Glob: 'read',
  Grep: 'read',
  Edit: 'edit',
  Write: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  WebFetch: 'network',
  WebSearch: 'network',
  Agent: 'exec',
  Task: 'exec',
  Skill: 'exec',
}

/** Tools that {@link wellKnownTool} knows by name. */
export const KNOWN_TOOLS: readonly string[] = Object.keys(KINDS)

/**
 * A tool of this name, for a call that nobody makes: those that the rule language knows have their kind, any other is
 * of the strictest one. A name of the form `mcp__server__tool` stands for a tool of that server.
 * @param from where the tool comes from, if its name does not say
 */
export function wellKnownTool(name: string, from: { readonly server?: string; readonly tool?: string } = {}): ToolInfo {
  const [, server, own] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  const source: ToolSourceInfo = {
    tool: own ?? name,
    trusted: false,
    ...(server === undefined ? {} : { server }),
    ...from,
  }
  return {
    name,
    description: '',
    inputSchema: { type: 'object' },
    kind: Object.hasOwn(KINDS, name) && source.server === undefined ? (KINDS[name] ?? 'exec') : 'exec',
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    source,
  }
}
