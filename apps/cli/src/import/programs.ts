import { isMap, valueAt } from '@ext/kernel'
import { commandLine, type Draft, enabled, type Fields, pairs, type Take, text, texts, time } from './draft.js'
import type { VariableStyle } from './variables.js'

/** A part of a file that is no server, and why it is not taken over. */
export interface Part {
  readonly pointer: string
  readonly what: 'hooks' | 'permissions' | 'instructions' | 'agents' | 'limits' | 'file'
  readonly reason: string
  readonly hint: string
}

/** Where a program has its configuration in a project, and how its servers are written. */
export interface Program {
  readonly name: string
  readonly files: readonly string[]
  /** Pointers of the map of servers. Of the first that is there they are taken. */
  readonly servers: readonly string[]
  readonly fields: Fields
  readonly variables: VariableStyle
  /** Says what holds for a server beside its entry. */
  readonly beside?: (root: unknown, name: string, draft: Draft) => void
  readonly parts?: readonly Part[]
  /** Whole files and folders that are not taken over. */
  readonly others?: readonly (Omit<Part, 'pointer'> & { readonly path: string })[]
}

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

const rules = (pointer: string, what: string): Part => ({
  pointer,
  what: 'permissions',
  reason: `${what} are rules in another language, so they do not hold here.`,
  hint: 'Write them under `permissions` in .ext/config.yaml, and run ext permissions lint.',
})

const hooks = {
  what: 'hooks',
  reason: 'Hooks there get other inputs and answer otherwise, so they would not do here what they do there.',
  hint: 'Write them under `hooks` in .ext/config.yaml; ext hooks events shows the moments.',
} as const

const instructions = {
  what: 'instructions',
  reason: 'These instructions are not read.',
  hint: 'Write into AGENTS.md what holds for all programs.',
} as const

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

/** The programs whose files are looked for. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'Cursor',
    files: ['.cursor/mcp.json'],
    servers: ['/mcpServers'],
    fields: { ...COMMON, type },
    variables: 'editor',
    others: [
      { path: '.cursor/hooks.json', ...hooks },
      { path: '.cursor/rules', ...instructions },
      { path: '.cursorrules', ...instructions },
    ],
  },
  {
    name: 'VS Code',
    files: ['.vscode/mcp.json'],
    servers: ['/servers', '/mcpServers'],
    fields: { ...COMMON, type },
    variables: 'editor',
    others: [{ path: '.github/copilot-instructions.md', ...instructions }],
  },
  {
    name: 'Gemini CLI',
    files: ['.gemini/settings.json'],
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
    parts: [
      rules('/tools/allowed', 'Tools that are allowed'),
      rules('/tools/core', 'Tools that there are alone'),
      rules('/tools/exclude', 'Tools that are excluded'),
      rules('/allowedTools', 'Tools that are allowed'),
      rules('/coreTools', 'Tools that there are alone'),
      rules('/excludeTools', 'Tools that are excluded'),
      { pointer: '/hooks', ...hooks },
    ],
    others: [{ path: 'GEMINI.md', ...instructions }],
  },
  {
    name: 'Codex',
    files: ['.codex/config.toml'],
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
    parts: [
      { pointer: '/hooks', ...hooks },
      {
        pointer: '/sandbox_mode',
        what: 'limits',
        reason: 'Nothing here runs in a sandbox, so this limit does not hold.',
        hint: 'Write deny and ask rules under `permissions` in .ext/config.yaml.',
      },
      rules('/approval_policy', 'Policies of approval'),
    ],
    others: [
      { path: '.codex/hooks.json', ...hooks },
      { path: '.codex/rules', ...rules('', 'Rules of Codex') },
    ],
  },
  {
    name: 'opencode',
    files: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
    servers: ['/mcp/servers', '/mcp'],
    fields: { ...COMMON, type, command: commandLine, environment: pairs('env'), timeout: stages },
    variables: 'braces',
    parts: [
      rules('/permission', 'Permissions of opencode'),
      rules('/tools', 'Switches of tools'),
      {
        pointer: '/agent',
        what: 'agents',
        reason: 'Agents in this form are not read.',
        hint: 'Write each as a file in .ext/agents.',
      },
      { pointer: '/instructions', ...instructions },
    ],
  },
]
