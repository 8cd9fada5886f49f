import { type ConfigDocument, createReporter, type Diagnostic, isMap, suggest } from '@ext/kernel'
import { POLICY_KEYS } from '@ext/kernel/policy'
import { diagnosticCodes } from '../codes.js'
import { readEvent } from '../commands/hooks/event-name.js'

const report = createReporter(diagnosticCodes)

/** Keys of Claude Code's settings that something here reads, and says what is wrong with them. */
const READ: readonly string[] = [
  ...['hooks', 'permissions', 'disableAllHooks', 'disabledHooks', 'disabledMcpjsonServers'],
  ...['allowManagedPermissionRulesOnly', ...POLICY_KEYS.hooks],
]

/** Keys of the section `permissions`. */
const OF_PERMISSIONS: readonly string[] = [
  ...['allow', 'ask', 'deny', 'defaultMode', 'additionalDirectories', 'disableBypassPermissionsMode'],
]

/** The end of a sentence about a key, and what to do instead. */
type Advice = readonly [what: string, hint: string]

const SERVERS: Advice = [
  'has no effect here: any server that is approved may run',
  'Write `enabled: false` for a server in `.ext/config.yaml`, or have the administrator set `allowedMcpServers` in /etc/ext/config.yaml.',
]

const MODELS: Advice = [
  'has no effect here: any model may be chosen',
  'Name the model in `.ext/config.yaml` or with --model.',
]

const PLUGINS: Advice = [
  'has no effect here: hooks, skills, agents and servers of plugins are not read',
  'Write what you need of them into files of your own.',
]

const APPROVALS: Advice = [
  'has no effect here: it approves no server',
  'See what waits with `ext trust list`, then `ext trust approve`.',
]

/** Keys that close or bring something: without them more is open, or something is missing. */
const WITHOUT_EFFECT: Readonly<Record<string, Advice>> = {
  sandbox: [
    'has no effect here: commands run without a sandbox',
    'Write deny and ask rules for what must not be touched.',
  ],
  deniedMcpServers: SERVERS,
  allowedMcpServers: SERVERS,
  allowManagedMcpServersOnly: SERVERS,
  strictPluginOnlyCustomization: [
    'has no effect here: hooks, skills, agents and servers of all files count',
    'Switch files off with `compat`.',
  ],
  availableModels: MODELS,
  deniedModels: MODELS,
  enforceAvailableModels: MODELS,
  claudeMdExcludes: [
    'has no effect here: these instructions are read like others',
    'Leave all of them out with `compat: { claude: { instructions: false } }`.',
  ],
  skillOverrides: [
    'has no effect here: skills stay as they are',
    'Switch skills off with `skills: { disabled: [name] }` in `.ext/config.yaml`.',
  ],
  enabledPlugins: PLUGINS,
}

/** Keys that mean something to whoever wrote them, and that something else here is for. */
const ELSEWHERE: Readonly<Record<string, Advice>> = {
  env: [
    'reaches the hooks of this file alone: commands, servers and `ext` itself do not get these variables',
    'Set them in the shell that starts `ext`, and those of a server in its `env`.',
  ],
  model: [
    'has no effect here: no model is taken from it',
    'Write `model: anthropic/<id>` into `.ext/config.yaml`, or use --model.',
  ],
  apiKeyHelper: ['has no effect here: no program is asked for a key', 'Set `ANTHROPIC_API_KEY` before the start.'],
  enabledMcpjsonServers: APPROVALS,
  enableAllProjectMcpServers: APPROVALS,
}

/** Says of each key at the top of a settings file of Claude Code that nothing here acts on it. */
export function unreadSettings(document: ConfigDocument): readonly Diagnostic[] {
  const { value, source } = document
  if (!isMap(value)) return []
  const diagnostics: Diagnostic[] = []
  const others: string[] = []
  for (const [key, written] of Object.entries(value)) {
    if (READ.includes(key) || key.startsWith('$') || asksForNothing(written)) continue
    const at = () => document.at(`/${key}`, 'key')
    const details = (hint: string) => ({ pointer: `/${key}`, hint })
    const place = placeOf(key, written, source.layer === 'project' || source.layer === 'local')
    const advice = adviceOn(key)
    if (place !== undefined) {
      const message = `\`${key}\` stands at the top of the file, where nothing reads it.`
      diagnostics.push(report.warning('cli.settings.misplaced', at(), message, details(place)))
    } else if (advice) {
      const [what, hint] = advice
      const severity = Object.hasOwn(WITHOUT_EFFECT, key) ? 'warning' : 'info'
      const message = `\`${key}\` ${what}.`
      diagnostics.push(report[severity]('cli.settings.no-effect', at(), message, details(hint)))
    } else others.push(key)
  }
  const [first] = others
  if (first === undefined) return diagnostics
  const named = others.map((key) => `\`${key}\``).join(', ')
  const message = `Nothing here reads ${named}.`
  const hint = 'What is meant for Claude Code can stay.'
  diagnostics.push(
    report.info('cli.settings.foreign', document.at(`/${first}`, 'key'), message, { pointer: `/${first}`, hint }),
  )
  return diagnostics
}

/** What is off, empty or not there. */
function asksForNothing(written: unknown): boolean {
  if (written === false || written === null || written === '') return true
  if (Array.isArray(written)) return written.length === 0
  if (!isMap(written)) return false
  const values = Object.values(written)
  return written['enabled'] === false || values.every((each) => each === false)
}

/** Where a key is meant to stand, if not at the top. */
function placeOf(key: string, written: unknown, ofProject: boolean): string | undefined {
  if (OF_PERMISSIONS.includes(key)) return 'Put it below a key `permissions`.'
  if (key === 'allowedTools') return 'Write its rules into `allow` below a key `permissions`.'
  if (key === 'disallowedTools') return 'Write its rules into `deny` below a key `permissions`.'
  if (key === 'mcpServers') {
    return ofProject
      ? 'Put the servers into `.mcp.json`, below `mcpServers`.'
      : 'Put the servers into `~/.ext/config.yaml`, below `mcpServers`, or add each with `ext mcp add`.'
  }
  if (Array.isArray(written) && typeof readEvent(key) !== 'string') return 'Put it below a key `hooks`.'
  if (adviceOn(key)) return undefined
  const meant = suggest(key, READ)
  return meant === undefined ? undefined : `Did you mean \`${meant}\`?`
}

function adviceOn(key: string): Advice | undefined {
  const table = [WITHOUT_EFFECT, ELSEWHERE].find((each) => Object.hasOwn(each, key))
  return table?.[key]
}
