import { checkSchema, createReporter, type Diagnostic, describe, isMap, type Located, type Outcome } from '@ext/kernel'
import { parseDuration } from '@ext/kernel/duration'
import { diagnosticCodes } from '../codes.js'
import { checkEvent, unsupportedAction, withoutBadCondition, withoutUnsupported } from './checks.js'
import type { ClaudeHookInput, CommandAction, ExtHookInput, HookEntry, HookInput, StdoutTarget } from './entry.js'
import { validateClaudeHandler, validateRule } from './validators.generated.js'

const report = createReporter(diagnosticCodes)

/** Says whether a hook is well formed. */
export function validateHook({ value, ...place }: Located<HookInput>): Outcome<HookEntry> {
  return value.dialect === 'ext'
    ? validateExt({ ...place, value: value.rule })
    : validateClaude({ ...place, value: value.handler }, value)
}

const EXT_UNSUPPORTED = {
  async: 'the agent waits for the hook',
  asyncRewake: 'the agent waits for the hook',
  sequential: 'the hook runs in parallel with the others',
  merge: 'hooks of the same name all run',
}

interface ExtRule {
  readonly name?: string
  readonly event: string
  readonly matcher?: string
  readonly if?: string
  readonly action: Partial<CommandAction> & Pick<CommandAction, 'command'>
  readonly once?: boolean
  readonly only_once?: boolean
  readonly onFailure?: 'continue' | 'block'
  readonly stdout?: StdoutTarget
}

function validateExt(entry: Located<ExtHookInput['rule']>): Outcome<HookEntry> {
  const action = isMap(entry.value) ? entry.value['action'] : undefined
  const refused = unsupportedAction(entry, '/action/type', isMap(action) ? action['type'] : undefined)
  if (refused) return { diagnostics: [refused] }

  const known = withoutUnsupported(entry, EXT_UNSUPPORTED)
  const conditioned = withoutBadCondition(known.rest)
  const timed = takeTimeout(conditioned.rest)
  const checked = checkSchema<ExtRule>(validateRule, timed.rest)
  const diagnostics = [...known.diagnostics, ...conditioned.diagnostics, ...timed.diagnostics, ...checked.diagnostics]
  if (!checked.value || timed.invalid) return { diagnostics }

  const rule = checked.value
  const event = checkEvent(rule.event, entry.at('/event'), entry.id)
  diagnostics.push(...event.diagnostics)
  if (!event.value) return { diagnostics }
  return {
    value: {
      dialect: 'ext',
      event: event.value,
      ...(rule.name === undefined ? {} : { name: rule.name }),
      ...(rule.matcher === undefined ? {} : { matcher: rule.matcher }),
      ...(rule.if === undefined ? {} : { condition: rule.if }),
      ...(rule.stdout === undefined ? {} : { stdout: rule.stdout }),
      ...(timed.ms === undefined ? {} : { timeoutMs: timed.ms }),
      action: toAction(rule.action, {}),
      onFailure: rule.onFailure ?? 'continue',
      once: rule.once ?? rule.only_once ?? false,
      at: (part) => entry.at(`/${part}`),
    },
    diagnostics,
  }
}

/** Takes `timeout` out and reads it: as a duration with its unit, and a bare number as the dialect has it, if it does. */
function takeTimeout(
  entry: Located<unknown>,
  options: { readonly bareUnit?: 's' } = {},
): {
  readonly rest: Located<unknown>
  readonly ms?: number
  readonly invalid: boolean
  readonly diagnostics: readonly Diagnostic[]
} {
  if (!isMap(entry.value) || !Object.hasOwn(entry.value, 'timeout'))
    return { rest: entry, invalid: false, diagnostics: [] }
  const { timeout, ...others } = entry.value
  const rest = { ...entry, value: others }
  const { ms, problem } = parseDuration(timeout, options)
  if (problem === undefined) return { rest, ms, invalid: false, diagnostics: [] }
  const diagnostic = report.error(
    'hooks.timeout.invalid',
    entry.at('/timeout'),
    `\`timeout\` is ${describe(timeout)}: ${problem}.`,
    {
      entry: entry.id,
      pointer: `${entry.pointer}/timeout`,
      hint: `Write ${options.bareUnit ? 'a number of seconds such as 30' : 'a duration such as 30s'}.`,
    },
  )
  return { rest, invalid: true, diagnostics: [diagnostic] }
}

const CLAUDE_UNSUPPORTED = {
  async: 'the agent waits for the hook, and what it decides counts',
  asyncRewake: 'the agent waits for the hook, and what it decides counts',
  rewakeMessage: 'the agent waits for the hook',
  rewakeSummary: 'the agent waits for the hook',
  once: 'the hook runs every time, as it does in Claude Code from a settings file',
  statusMessage: 'nothing shows it',
}

interface ClaudeHandler {
  readonly command: string
  readonly args?: readonly string[]
  readonly shell?: 'sh' | 'bash'
  readonly if?: string
  readonly onFailure?: 'continue' | 'block'
}

/** From here on a number of seconds is more likely a number of milliseconds: 1,000 s are 17 minutes. */
const SUSPICIOUS_MS = 1_000_000

function validateClaude(entry: Located<ClaudeHookInput['handler']>, around: ClaudeHookInput): Outcome<HookEntry> {
  const written = isMap(entry.value) ? entry.value : {}
  const refused = unsupportedAction(entry, '/type', written['type']) ?? unsupportedShell(entry, written['shell'])
  if (refused) return { diagnostics: [refused] }

  const known = withoutUnsupported(entry, CLAUDE_UNSUPPORTED)
  const conditioned = withoutBadCondition(known.rest)
  const timed = takeTimeout(conditioned.rest, { bareUnit: 's' })
  const checked = checkSchema<ClaudeHandler>(validateClaudeHandler, timed.rest)
  const event = checkEvent(around.event, around.at('event'), entry.id)
  const diagnostics = [known, conditioned, timed, checked, event].flatMap((step) => step.diagnostics)
  const { matcher } = around
  if (matcher !== undefined && typeof matcher !== 'string') {
    const message = `The matcher is ${describe(matcher)}, not a text.`
    const hint = 'Write the name of a tool, or leave the matcher out to match all.'
    diagnostics.push(report.error('hooks.matcher.type', around.at('matcher'), message, { entry: entry.id, hint }))
    return { diagnostics }
  }
  if (!checked.value || !event.value || timed.invalid) return { diagnostics }

  const handler = checked.value
  const { ms: timeoutMs } = timed
  if (timeoutMs !== undefined && timeoutMs >= SUSPICIOUS_MS) {
    const seconds = timeoutMs / 1000
    const message = `\`timeout\` is in seconds here, so ${seconds} means ${Math.round(seconds / 60)} minutes.`
    const hint = `Write ${Math.ceil(seconds / 1000)} if milliseconds were meant.`
    const pointer = `${entry.pointer}/timeout`
    diagnostics.push(report.warning('hooks.timeout.unit', entry.at('/timeout'), message, { pointer, hint }))
  }
  return {
    value: {
      dialect: 'claude-settings',
      event: event.value,
      ...(matcher === undefined ? {} : { matcher }),
      ...(handler.if === undefined ? {} : { condition: handler.if }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      action: toAction(handler, around.env),
      onFailure: handler.onFailure ?? 'continue',
      once: false,
      at: around.at,
    },
    diagnostics,
  }
}

function unsupportedShell(entry: Located<unknown>, shell: unknown): Diagnostic | undefined {
  if (shell !== 'powershell') return undefined
  return report.error(
    'hooks.action.unsupported',
    entry.at('/shell'),
    'Hooks for PowerShell are not supported by this version.',
    {
      entry: entry.id,
      pointer: `${entry.pointer}/shell`,
      expected: ['sh', 'bash'],
      hint: 'Use sh or bash, or start the program directly with `args`.',
    },
  )
}

function toAction(
  written: Partial<CommandAction> & Pick<CommandAction, 'command'>,
  fileEnv: Readonly<Record<string, string>>,
): CommandAction {
  return {
    type: 'command',
    command: written.command,
    ...(written.args === undefined ? {} : { args: written.args }),
    shell: written.shell ?? 'sh',
    env: written.env ?? fileEnv,
    passEnv: written.passEnv ?? [],
    ...(written.cwd === undefined ? {} : { cwd: written.cwd }),
  }
}
