import type { ConfigSource, FilesPort, LayerName } from '@ext/kernel'
import type { AuthorizeRequest, JsonObject, PermissionMode, SessionRef, ToolInfo, ToolKind } from '@ext/kernel/contract'
import { type FakeClock, fakeClock, memoryFiles } from '@ext/kernel/testing'
import { createPermission, type Permission, type PermissionOptions } from '../src/index.js'

export const CWD = '/repo'
export const HOME = '/home/u'

export interface Rules {
  readonly mode?: PermissionMode
  readonly allow?: readonly unknown[]
  readonly ask?: readonly unknown[]
  readonly deny?: readonly unknown[]
  readonly rules?: readonly unknown[]
  readonly additionalDirectories?: readonly unknown[]
  readonly managedRulesOnly?: unknown
  readonly disableBypassPermissionsMode?: unknown
  readonly readOnlyCommands?: unknown
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  Glob: 'read',
  Grep: 'read',
  Edit: 'edit',
  Write: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Bash: 'exec',
  WebFetch: 'network',
  Skill: 'meta',
}

export interface ToolOverrides {
  readonly server?: string
  readonly tool?: string
  readonly kind?: ToolKind
}

export function tool(
  name: string,
  { server, tool = name, kind = KINDS[name] ?? 'exec' }: ToolOverrides = {},
): ToolInfo {
  return {
    name,
    description: '',
    inputSchema: { type: 'object' },
    kind,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    source: { tool, trusted: false, ...(server === undefined ? {} : { server }) },
  }
}

export function serverTool(server: string, name: string, kind: ToolKind = 'exec'): ToolInfo {
  return tool(`mcp__${server}__${name}`, { server, tool: name, kind })
}

export function request(of: ToolInfo | string, input: JsonObject = {}): AuthorizeRequest {
  const info = typeof of === 'string' ? tool(of) : of
  return { call: { id: 'call-1', name: info.name, input }, tool: info }
}

export function bash(command: string): AuthorizeRequest {
  return request('Bash', { command })
}

export function session(overrides: Partial<SessionRef> = {}): SessionRef {
  return { id: 's', cwd: CWD, origin: 'main', permissionMode: 'default', ...overrides }
}

export function rulesOf(rules: Rules, layer: LayerName = 'user', name = `${layer} rules`): ConfigSource {
  return { kind: 'value', layer, dialect: 'ext', name, value: { permissions: rules } }
}

export interface Setup extends Partial<Omit<PermissionOptions, 'cwd' | 'ports'>> {
  readonly rules?: Rules
  readonly platform?: string
  readonly files?: FilesPort
  readonly clock?: FakeClock
}

export async function permissionWith(setup: Setup = {}): Promise<Permission> {
  const { rules, layers = rules ? [rulesOf(rules)] : [], platform = 'linux', files, clock, ...rest } = setup
  return createPermission({
    layers,
    cwd: CWD,
    ports: { files: files ?? memoryFiles({}), clock: clock ?? fakeClock(), home: HOME, platform },
    ...rest,
  })
}
