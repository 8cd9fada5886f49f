import type { SessionRef, ToolInfo } from '@ext/kernel/contract'
import type { Extensions } from '../../compose.js'
import { BUILT_IN_NAMES, META_NAMES } from '../../own-tools.js'
import type { ExplainedServer } from './explain-server.js'

/** A tool of this host that does nothing but look after the session, as sessions have it. */
export function metaTool(name: string): ToolInfo | undefined {
  if (!META_NAMES.includes(name)) return undefined
  return {
    name,
    description: '',
    inputSchema: { type: 'object' },
    kind: 'meta',
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    source: { tool: name, trusted: true },
    system: true,
  }
}

/**
 * Why the model of a session would not be offered a tool, so that its call would be rejected whatever the rules say;
 * `undefined` if it would be, or if only a server that runs could tell.
 */
export function whyNotOffered(
  name: string,
  server: ExplainedServer | undefined,
  { skills, agents }: Pick<Extensions, 'skills' | 'agents'>,
  ref: SessionRef,
): string | undefined {
  if (server) {
    if (server.verdict !== 'loaded') return `its server is ${server.verdict}`
    return server.offered === false ? `${server.why}` : undefined
  }
  if (name === 'agent') return agents.definitions.length > 0 ? undefined : 'there is no agent that it could start'
  if (name === 'handoff') {
    const canTakeOver = agents.definitions.some(({ handoff }) => handoff === true)
    return canTakeOver ? undefined : 'there is no agent that it could hand over to'
  }
  if (name === 'load_skill' || name === 'search_skills') {
    const isThere = skills
      .session(ref)
      .tools()
      .some((tool) => tool.name === name)
    return isThere ? undefined : 'there is no skill for it'
  }
  return [...BUILT_IN_NAMES, ...META_NAMES].includes(name) || OF_SERVERS.includes(name)
    ? undefined
    : 'ext has no such tool'
}

/** They are there if a server has resources, which it says itself. */
const OF_SERVERS: readonly string[] = ['list_mcp_resources', 'read_mcp_resource']
