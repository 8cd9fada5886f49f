import { isMap, valueAt } from '@ext/kernel'
import { commandLine, type Draft, enabled, type Fields, pairs, type Take, text, texts, time } from './draft.js'
import type { VariableStyle } from './variables.js'

/** How one program writes its servers. */
export interface Format {
  /** Pointers of the map of servers. The first that leads to a map counts. */
  readonly servers: readonly string[]
  readonly fields: Fields
  readonly variables: VariableStyle
  /** What holds for a server beside its entry. */
  readonly beside?: (root: unknown, name: string, draft: Draft) => void
}

/** A program whose servers can be imported. */
export type ForeignProgram = 'cursor' | 'vscode' | 'gemini' | 'codex' | 'opencode'

const COMMON: Fields = {
  command: text('command'),
  args: texts('args'),
  cwd: text('cwd'),
  env: pairs('env'),
  url: text('url'),
  headers: pairs('headers'),
  disabled: enabled(false),
  enabled: enabled(true),
}

/** Words for the same; others are left to the check of the entry. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  stdio: undefined,
  local: undefined,
  http: undefined,
  remote: undefined,
  streamableHttp: undefined,
  'streamable-http': undefined,
}

const type: Take = (value, draft) => {
  if (typeof value === 'string' && Object.hasOwn(TYPES, value)) return undefined
  return text('type')(value, draft)
}

const isThere = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** In a settings file of Gemini CLI: which servers may be connected at all. */
function besideGemini(root: unknown, name: string, draft: Draft): void {
  const allowed = valueAt(root, '/mcp/allowed') ?? valueAt(root, '/allowMCPServers')
  const excluded = valueAt(root, '/mcp/excluded') ?? valueAt(root, '/excludeMCPServers')
  if ((isThere(allowed) && !allowed.includes(name)) || (isThere(excluded) && excluded.includes(name))) {
    draft.enabled = false
  }
  // There, `url` alone means the older form.
  if (draft.url !== undefined && draft.type === undefined && isMap(valueAt(root, '/mcpServers'))) {
    const servers = valueAt(root, '/mcpServers') as Readonly<Record<string, unknown>>
    const entry = Object.hasOwn(servers, name) ? servers[name] : undefined
    if (isMap(entry) && entry['httpUrl'] === undefined && entry['type'] === undefined) draft.type = 'sse'
  }
}

/** A token whose variable is named. */
const bearerVariable: Take = (value, draft) => {
  if (typeof value !== 'string' || !/^[A-Za-z_]\w*$/.test(value)) return 'names no variable'
  draft.variableHeaders = { ...draft.variableHeaders, Authorization: `Bearer \${${value}}` }
  return undefined
}

/** Headers by the names of the variables that hold them. */
const variableHeaders: Take = (value, draft) => {
  const named: Draft = {}
  const wrong = pairs('headers')(value, named)
  if (wrong !== undefined) return wrong
  const found = Object.entries(named.headers ?? {})
  const [header] = found.find(([, name]) => !/^[A-Za-z_]\w*$/.test(name)) ?? []
  if (header !== undefined) return `names no variable for \`${header}\``
  const headers = Object.fromEntries(found.map(([each, name]) => [each, `\${${name}}`]))
  draft.variableHeaders = { ...draft.variableHeaders, ...headers }
  return undefined
}

/** Of opencode: one number for all, or one for each stage. */
const stages: Take = (value, draft) => {
  if (!isMap(value)) return time('callMs', 1)(value, draft)
  const { startup, request } = value
  return (
    (startup === undefined ? undefined : time('connectMs', 1)(startup, draft)) ??
    (request === undefined ? undefined : time('callMs', 1)(request, draft))
  )
}

/** Of the files of a project, as their documentation and their sources have them in 2026. */
export const FORMATS: Readonly<Record<ForeignProgram, Format>> = {
  cursor: { servers: ['/mcpServers'], fields: { ...COMMON, type }, variables: 'editor' },
  vscode: { servers: ['/servers', '/mcpServers'], fields: { ...COMMON, type }, variables: 'editor' },
  gemini: {
    servers: ['/mcpServers'],
    fields: {
      ...COMMON,
      type,
      httpUrl: text('url'),
      timeout: time('callMs', 1),
      includeTools: texts('allow'),
      excludeTools: texts('deny'),
    },
    variables: 'shell',
    beside: besideGemini,
  },
  codex: {
    servers: ['/mcp_servers'],
    fields: {
      ...COMMON,
      env_vars: texts('inheritEnv'),
      bearer_token_env_var: bearerVariable,
      http_headers: pairs('headers'),
      env_http_headers: variableHeaders,
      startup_timeout_sec: time('connectMs', 1000),
      startup_timeout_ms: time('connectMs', 1),
      tool_timeout_sec: time('callMs', 1000),
      enabled_tools: texts('allow'),
      disabled_tools: texts('deny'),
    },
    variables: 'none',
  },
  opencode: {
    servers: ['/mcp/servers', '/mcp'],
    fields: { ...COMMON, type, command: commandLine, environment: pairs('env'), timeout: stages },
    variables: 'braces',
  },
}
