import type { HostPorts } from '@ext/kernel'
import type { AuthorizeRequest, SessionRef, Tool } from '@ext/kernel/contract'
import { minimalEnv } from '@ext/kernel/env'
import { resolvePath } from '@ext/kernel/match'
import { nodeWorkFiles } from '@ext/kernel/node'
import type { Permission } from '@ext/permission'
import type { PermissionSession } from '@ext/permission/types'

/** Those of {@link ownTools}. */
export const BUILT_IN_NAMES: readonly string[] = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'WebFetch']

/** Those that look after the session itself, each where it has something to do. */
export const META_NAMES: readonly string[] = [
  'load_skill',
  'search_skills',
  'tool_search',
  'agent',
  'handoff',
  'task_list',
  'task_output',
  'task_stop',
]

/** Tools of this host; those of servers come and go. */
export const OWN_TOOL_NAMES: readonly string[] = [...BUILT_IN_NAMES, ...META_NAMES]

/** The built-in tools, held by the rules: they touch the folders of the workspace, and find nothing that may not be read. */
export async function ownTools(permission: Permission, ports: HostPorts): Promise<readonly Tool[]> {
  const { fileTools, shellTool, webFetchTool } = await import('@ext/agent-core/tools')
  const { home, platform, clock } = ports
  return [
    shellTool({ process: ports.process, env: minimalEnv(ports.env, platform), background: true }),
    ...fileTools({
      ports: { files: nodeWorkFiles(), clock, home, platform },
      roots: ({ cwd }) =>
        permission.snapshot.entries.flatMap(({ value }) =>
          value.kind === 'directory' ? [resolvePath(value.path, { cwd, home })] : [],
        ),
      mayFind: mayRead(permission),
    }),
    webFetchTool({ ports: { fetch: ports.fetch, clock } }),
  ]
}

/** A search comes across files that no call names. What a rule denies or wants to have asked, it leaves out. */
function mayRead(permission: Permission): (path: string, session: SessionRef) => boolean {
  const sessions = new WeakMap<SessionRef, PermissionSession>()
  return (path, ref) => {
    // What the mode says counts for the search as a whole, which the gate has let through.
    const session = sessions.get(ref) ?? permission.session({ ...ref, permissionMode: 'default' })
    sessions.set(ref, session)
    const { behavior, decidedBy } = session.decide(reading(path))
    return behavior === 'allow' || decidedBy.rule === undefined
  }
}

function reading(path: string): AuthorizeRequest {
  return {
    call: { id: 'search', name: 'Read', input: { file_path: path } },
    tool: {
      name: 'Read',
      description: '',
      kind: 'read',
      inputSchema: {},
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      source: { tool: 'Read', trusted: true },
    },
  }
}
