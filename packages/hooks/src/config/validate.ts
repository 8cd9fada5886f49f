import {
  checkSchema,
  createReporter,
  type Diagnostic,
  describe,
  isMap,
  type Located,
  type MergeStrategy,
  type Outcome,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { type EventName, eventNamed } from '../event-names.js'
import { checkEvent, withoutSwitches, withoutUnsupported } from './checks.js'
import { takeCondition } from './condition.js'
import type { ClaudeHookInput, ExtHookInput, HookEntry, HookInput, HookOwner, StdoutTarget } from './entry.js'
import { validateFunction } from './functions.js'
import { type ActionInput, checkAction, checkActionType, readAction } from './read-action.js'
import { takeTimeout } from './timeout.js'
import { validateClaudeHandler, validateRule } from './validators.generated.js'

const report = createReporter(diagnosticCodes)

/** Says whether a hook is well formed. */
export function validateHook({ value, ...place }: Located<HookInput>): Outcome<HookEntry> {
  switch (value.dialect) {
    case 'ext':
      return validateExt({ ...place, value: value.rule }, value)
    case 'claude-settings':
      return validateClaude({ ...place, value: value.handler }, value)
    case 'functions':
      return validateFunction({ ...place, value: value.hook })
  }
}

interface ExtRule {
  readonly name?: string
  readonly event: string
  readonly matcher?: string
  readonly action: ActionInput
  readonly once?: boolean
  readonly only_once?: boolean
  readonly onFailure?: 'continue' | 'block'
  readonly stdout?: StdoutTarget
  readonly async?: boolean
  readonly asyncRewake?: boolean
  readonly sequential?: boolean
  readonly merge?: MergeStrategy
}

function validateExt(entry: Located<ExtHookInput['rule']>, around: ExtHookInput): Outcome<HookEntry> {
  const refused = checkActionType(entry, '/action', isMap(entry.value) ? entry.value['action'] : undefined)
  if (refused) return { diagnostics: [refused] }

  const switched = withoutSwitches(entry)
  const conditioned = takeCondition(switched.rest, { trees: true })
  const timed = takeTimeout(conditioned.rest)
  const checked = checkSchema<ExtRule>(validateRule, timed.rest)
  const diagnostics = [switched, conditioned, timed, checked].flatMap((step) => step.diagnostics)
  if (!checked.value || timed.invalid) return { diagnostics }

  const rule = checked.value
  const event = checkEvent(eventOf(rule.event, around.owner), entry.at('/event'), entry.id)
  const action = readAction(entry, '/action', rule.action, {})
  diagnostics.push(...event.diagnostics, ...action.diagnostics)
  if (!event.value || !action.value) return { diagnostics }
  const unnamed = rule.merge === 'override' && rule.name === undefined
  if (unnamed) diagnostics.push(nothingToReplace(entry))
  return {
    value: {
      dialect: 'ext',
      event: event.value,
      ...(rule.name === undefined ? {} : { name: rule.name }),
      ...matcherOf(event.value, rule.matcher),
      ...(conditioned.condition === undefined ? {} : { condition: conditioned.condition }),
      ...(rule.stdout === undefined ? {} : { stdout: rule.stdout }),
      ...(timed.ms === undefined ? {} : { timeoutMs: timed.ms }),
      action: action.value,
      ...(rule.onFailure === undefined ? {} : { onFailure: rule.onFailure }),
      once: rule.once ?? rule.only_once ?? false,
      ...backgroundOf(rule),
      sequential: rule.sequential ?? false,
      ...(rule.merge === undefined || unnamed ? {} : { merge: rule.merge }),
      ...(around.owner ? { owner: around.owner } : {}),
      at: (part) => entry.at(`/${part}`),
    },
    diagnostics,
  }
}

/** By the name of its script it could replace a hook that only happens to have the same. */
function nothingToReplace(entry: Located<unknown>): Diagnostic {
  const message = '`merge: override` has no `name` beside it, so the hook replaces nothing.'
  const details = { entry: entry.id, pointer: `${entry.pointer}/merge` }
  const hint = 'Write the `name` of the hook that it is to replace.'
  return report.error('hooks.merge.unnamed', entry.at('/merge'), message, { ...details, hint })
}

/** The end of an agent is called Stop in its own header. */
function eventOf(name: string, owner: HookOwner | undefined): string {
  return owner?.kind === 'agent' && eventNamed(name)?.event === 'Stop' ? 'SubagentStop' : name
}

/** A name that stands for one case of an event matches that case and no other. */
function matcherOf(name: EventName, written: string | undefined): Pick<HookEntry, 'matcher'> {
  const matcher = (name.event !== undefined ? name.matcher : undefined) ?? written
  return matcher === undefined ? {} : { matcher }
}

/** Whether anybody waits for the hook. */
function backgroundOf(written: {
  readonly async?: boolean
  readonly asyncRewake?: boolean
}): Pick<HookEntry, 'background'> {
  if (written.asyncRewake) return { background: 'rewake' }
  return written.async ? { background: 'async' } : {}
}

const CLAUDE_UNSUPPORTED = {
  rewakeMessage: 'the model is woken with what the hook says',
  rewakeSummary: 'the model is woken with what the hook says',
  statusMessage: 'nothing shows it',
}

/** Claude Code has `once` in the headers of skills and agents only. */
const ONCE_UNSUPPORTED = { once: 'the hook runs every time, as it does in Claude Code from a settings file' }

interface ClaudeHandler {
  readonly onFailure?: 'continue' | 'block'
  readonly async?: boolean
  readonly asyncRewake?: boolean
  readonly once?: boolean
}

/** From here on a number of seconds is more likely a number of milliseconds: 1,000 s are 17 minutes. */
const SUSPICIOUS_MS = 1_000_000

function validateClaude(entry: Located<ClaudeHookInput['handler']>, around: ClaudeHookInput): Outcome<HookEntry> {
  const written = isMap(entry.value) ? entry.value : {}
  const refused = checkActionType(entry, '', written) ?? unsupportedShell(entry, written['shell'])
  if (refused) return { diagnostics: [refused] }

  const { owner } = around
  const isHeader = owner !== undefined && owner.kind !== 'plugin'
  const switched = withoutSwitches(entry)
  const known = withoutUnsupported(
    switched.rest,
    isHeader ? CLAUDE_UNSUPPORTED : { ...CLAUDE_UNSUPPORTED, ...ONCE_UNSUPPORTED },
  )
  const conditioned = takeCondition(known.rest, { trees: false })
  const timed = takeTimeout(conditioned.rest, { bareUnit: 's' })
  const [own, ofAction] = splitHandler(timed.rest)
  const checked = checkSchema<ClaudeHandler>(validateClaudeHandler, own)
  const action = checkAction(ofAction, around.env, [...HANDLER_KEYS, 'if', 'timeout'])
  const event = checkEvent(eventOf(around.event, owner), around.at('event'), entry.id)
  const diagnostics = [switched, known, conditioned, timed, checked, action, event].flatMap((step) => step.diagnostics)
  const { matcher } = around
  if (matcher !== undefined && typeof matcher !== 'string') {
    const message = `The matcher is ${describe(matcher)}, not a text.`
    const hint = 'Write the name of a tool, or leave the matcher out to match all.'
    diagnostics.push(report.error('hooks.matcher.type', around.at('matcher'), message, { entry: entry.id, hint }))
    return { diagnostics }
  }
  if (!checked.value || !action.value || !event.value || timed.invalid) return { diagnostics }

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
      ...matcherOf(event.value, matcher),
      ...(conditioned.condition === undefined ? {} : { condition: conditioned.condition }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      action: action.value,
      ...(handler.onFailure === undefined ? {} : { onFailure: handler.onFailure }),
      once: handler.once ?? false,
      ...backgroundOf(handler),
      sequential: false,
      ...(owner ? { owner } : {}),
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

/** The keys of a handler that are not those of its action. */
const HANDLER_KEYS: readonly string[] = ['onFailure', 'async', 'asyncRewake', 'once'] satisfies (keyof ClaudeHandler)[]

/** A handler holds its own keys and those of its action side by side; each part has a schema. */
function splitHandler(entry: Located<unknown>): readonly [own: Located<unknown>, action: Located<unknown>] {
  if (!isMap(entry.value)) return [{ ...entry, value: {} }, entry]
  const pairs = Object.entries(entry.value)
  const part = (isOwn: boolean) => ({
    ...entry,
    value: Object.fromEntries(pairs.filter(([key]) => HANDLER_KEYS.includes(key) === isOwn)),
  })
  return [part(true), part(false)]
}
