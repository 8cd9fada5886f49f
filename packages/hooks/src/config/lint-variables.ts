import { createReporter, type Diagnostic, type Located } from '@ext/kernel'
import { childEnv, type EnvPreset } from '@ext/kernel/env'
import { diagnosticCodes } from '../codes.js'
import type { CommandAction } from './actions.js'
import type { HookEntry } from './entry.js'
import { folderVariables } from './folders.js'

const report = createReporter(diagnosticCodes)

/** What decides which variables a command sees. */
export interface VariableHost {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly envPresets: readonly EnvPreset[]
}

/** What shells set themselves. */
const OF_THE_SHELL =
  /^(?:PWD|OLDPWD|IFS|PPID|UID|EUID|GROUPS|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|RANDOM|SECONDS|EPOCH\w+|LINENO|REPLY|SHLVL|OPT(?:ARG|IND|ERR)|PS[1-4]|PIPESTATUS|FUNCNAME|DIRSTACK|COLUMNS|LINES|BASH\w*|_)$/

/** Variables that a command reads and that it does not get, and those that it is to get and nobody has. */
export function lintVariables(
  entry: Located<HookEntry>,
  action: CommandAction,
  host: VariableHost,
): readonly Diagnostic[] {
  const base = entry.value.dialect === 'ext' ? '/action' : ''
  const place = (key: string) => [entry.at(`${base}/${key}`), { pointer: `${entry.pointer}${base}/${key}` }] as const
  const [source, details] = place('command')
  const findings = variablesNotGiven(action, entry.value, host).map((name) => {
    if (name === 'CLAUDE_ENV_FILE') {
      const message = '`CLAUDE_ENV_FILE` is not supported by this version: a hook sets no variables for the session.'
      const hint = 'Write them into the `env` of the hooks that need them.'
      return report.warning('hooks.env.unset', source, message, { ...details, hint })
    }
    if (host.env[name] !== undefined && !name.startsWith('CLAUDE_')) {
      const message = `The command reads \`${name}\`, which the host has and does not hand on.`
      const hint = `Add \`passEnv: [${name}]\` to the action if the command is to see it.`
      return report.warning('hooks.env.undeclared', source, message, { ...details, hint })
    }
    const own = entry.value.dialect === 'ext' && name === 'CLAUDE_PROJECT_DIR'
    return report.warning('hooks.env.unset', source, `The command uses \`${name}\`, which is not set for it.`, {
      ...details,
      hint: own ? 'Write HOOK_PROJECT_DIR.' : 'The event comes as JSON on stdin; `jq` or Python can read it.',
    })
  })
  const [passSource, passDetails] = place('passEnv')
  const unset = action.passEnv
    .filter((name) => host.env[name] === undefined)
    .map((name) => {
      const message = `\`${name}\` is to be passed on, but it is not set here.`
      return report.info('hooks.env.unset', passSource, message, { ...passDetails, hint: `Set ${name}, or remove it.` })
    })
  return [...findings, ...unset]
}

/** The variables that a command reads and can't do without, and that it is not given. */
export function variablesNotGiven(action: CommandAction, hook: HookEntry, host: VariableHost): readonly string[] {
  return readVariables(action).filter((name) => !isGiven(name, action, hook, host))
}

function isGiven(name: string, action: CommandAction, hook: HookEntry, host: VariableHost): boolean {
  if (name.startsWith('HOOK_') || OF_THE_SHELL.test(name) || action.passEnv.includes(name)) return true
  if (Object.hasOwn(action.env, name) || Object.hasOwn(folderVariables(hook, ''), name)) return true
  // As if the host had it: whether it does is said where it is passed on.
  const { platform, envPresets: presets } = host
  return Object.hasOwn(childEnv({ host: { [name]: '' }, platform, presets }).env, name)
}

/**
 * The variables that a command can't do without: no ones with a default, none that it sets itself. In a shell, texts in
 * single quotes are left out; without one, only `${NAME}` of Claude Code means anything, and nothing puts it in.
 */
function readVariables({ command, args }: CommandAction): readonly string[] {
  if (args) return found([command, ...args].join('\n'), /\$\{(CLAUDE_\w+)\}/g)
  // What another shell is given as a script in quotes is read there.
  const script = command.replaceAll(/(-\w*c\s+)?'[^']*'/g, (quoted, isScript?: string) => (isScript ? quoted : "''"))
  return found(script, /(?<!\\)\$(?:\{([A-Z_][A-Z0-9_]*)[}#%/:]|([A-Z_][A-Z0-9_]*)(?![A-Za-z0-9_]))/g).filter(
    (name) => !hasValue(name, script),
  )
}

function found(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, first, second]) => first ?? second ?? ''))]
}

/** Whether a script sets a variable, or can do without it. */
function hasValue(name: string, script: string): boolean {
  return new RegExp(
    `\\b${name}\\+?=|\\b(?:for|read|local|export|declare)\\b[^;&|\\n]{0,400}(?<![$\\w{])${name}\\b|\\{${name}:?[-=+?]`,
  ).test(script)
}
