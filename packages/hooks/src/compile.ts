import { createReporter, type Diagnostic, type HostPorts, type Located, type Outcome } from '@ext/kernel'
import type { LifecycleEvent, ToolTable } from '@ext/kernel/contract'
import { MATCH_ALL, type Matcher } from '@ext/kernel/match'
import { diagnosticCodes } from './codes.js'
import { conditionProblem } from './config/checks.js'
import type { Action, HookDialect, HookEntry, StdoutTarget } from './config/entry.js'
import { lintCommand } from './config/lint-command.js'
import { EVENT_NAMES, type EventRow, events } from './events.js'
import { type Condition, compileCondition } from './match/condition.js'
import { lintMatcher, misunderstoodMatcher, unusableMatcher, type WrittenMatcher } from './match/lint.js'
import { compileMatcher, parseMatcher } from './match/matcher.js'

const report = createReporter(diagnosticCodes)

/** A hook that is ready to run. */
export interface CompiledHook {
  readonly dialect: HookDialect
  readonly event: LifecycleEvent
  readonly matcher: Matcher
  readonly condition?: Condition
  readonly action: Action
  readonly timeoutMs: number
  readonly onFailure: 'continue' | 'block'
  /** Runs at most once in a session. */
  readonly once: boolean
  readonly stdout: StdoutTarget
}

export interface CompileContext {
  readonly root: string
  readonly tools: ToolTable
  readonly knownTools: readonly string[] | undefined
  readonly ports: HostPorts
}

/** Says what a hook means, or why it can never run. */
export function compileHook(entry: Located<HookEntry>, context: CompileContext): Outcome<CompiledHook> {
  const hook = entry.value
  const { event } = hook.event
  if (event === undefined) return { diagnostics: [notFired(entry, hook.event.notFired)] }
  const row = events[event]
  if (hook.condition !== undefined && row.matcherField !== 'tool_name') return { diagnostics: [noTool(entry, event)] }

  const matcher = toMatcher(entry, event, row, context)
  if (!matcher.value) return { diagnostics: matcher.diagnostics }
  const timeoutMs = hook.timeoutMs ?? defaultTimeout(hook.dialect, event)
  const stdout = hook.stdout ?? row.plainStdout
  const diagnostics = [...matcher.diagnostics, ...lintCommand(entry, context.ports.env)]
  const condition = hook.condition === undefined ? undefined : compileCondition(hook.condition, entry.source, context)
  if (condition?.problem !== undefined) {
    diagnostics.push(conditionProblem(entry, condition.problem, condition.condition ? 'tool' : 'nothing'))
  }
  if (hook.onFailure === 'block' && (row.tier === 'feedback' || row.tier === 'degrade')) {
    diagnostics.push(noEffect(entry, event))
  }
  const unheard = stdout === 'context' && !row.outputs.includes('additionalContext')
  if (unheard) diagnostics.push(noContext(entry, event))
  const tooLong = event === 'SessionEnd' && timeoutMs > MAX_SESSION_END_MS
  if (tooLong) diagnostics.push(cappedTimeout(entry))
  return {
    value: {
      dialect: hook.dialect,
      event,
      matcher: matcher.value,
      ...(condition?.condition ? { condition: condition.condition } : {}),
      action: hook.action,
      timeoutMs: tooLong ? MAX_SESSION_END_MS : timeoutMs,
      onFailure: hook.onFailure,
      once: hook.once,
      stdout: unheard ? 'user' : stdout,
    },
    diagnostics,
  }
}

/** Somebody who leaves waits at the door no longer than this, whatever a hook asks for. */
const MAX_SESSION_END_MS = 60_000

/** Claude Code waits ten minutes for a hook, but not before it takes a prompt; and nobody waits long for the end. */
function defaultTimeout(dialect: HookDialect, event: LifecycleEvent): number {
  if (event === 'SessionEnd') return 1500
  return dialect === 'claude-settings' && event !== 'UserPromptSubmit' ? 600_000 : 30_000
}

function toMatcher(
  entry: Located<HookEntry>,
  event: LifecycleEvent,
  row: EventRow,
  { tools, knownTools }: CompileContext,
): Outcome<Matcher> {
  const hook = entry.value
  if (row.matcherField === 'none') {
    const { kind } = parseMatcher(hook.matcher)
    return { value: MATCH_ALL, diagnostics: kind === 'all' ? [] : [ignoredMatcher(hook, event)] }
  }
  const ofTools = row.matcherField === 'tool_name'
  const written: WrittenMatcher = {
    text: hook.matcher ?? '*',
    form: parseMatcher(hook.matcher),
    anchored: hook.dialect === 'ext',
    source: hook.at('matcher'),
    entryId: entry.id,
    event,
    ofTools,
    known: row.subjects ?? (ofTools && knownTools ? knownNames(knownTools, tools) : undefined),
  }
  const misunderstood = misunderstoodMatcher(written)
  if (misunderstood) return { diagnostics: [misunderstood] }
  const likeness = (name: string) => (Object.hasOwn(tools, name) ? tools[name]?.as : undefined)
  const { matcher, problem } = compileMatcher(written.text, written.form, {
    anchored: written.anchored,
    ...(ofTools ? { likeness } : {}),
  })
  if (!matcher) return { diagnostics: [unusableMatcher(written, problem)] }
  return { value: matcher, diagnostics: lintMatcher(written, matcher) }
}

/** Every name under which a tool of this host can be matched. */
function knownNames(knownTools: readonly string[], tools: ToolTable): readonly string[] {
  return [...new Set([...knownTools, ...Object.entries(tools).flatMap(([name, { as }]) => [name, as])])]
}

function notFired(entry: Located<HookEntry>, name: string): Diagnostic {
  return report.error(
    'hooks.event.not-fired',
    entry.value.at('event'),
    `Nothing fires ${name} in this version, so the hook can never run.`,
    { entry: entry.id, expected: EVENT_NAMES, hint: `Use one of: ${EVENT_NAMES.join(', ')}.` },
  )
}

function noTool(entry: Located<HookEntry>, event: LifecycleEvent): Diagnostic {
  return report.error(
    'hooks.if.no-tool',
    entry.at('/if'),
    `${event} has no tool that \`if\` could be tested against, so the hook would never run.`,
    { entry: entry.id, pointer: `${entry.pointer}/if`, hint: 'Remove `if`, or listen to PreToolUse.' },
  )
}

function ignoredMatcher(hook: HookEntry, event: LifecycleEvent): Diagnostic {
  const message = `${event} has nothing to match, so the matcher \`${hook.matcher}\` is ignored.`
  return report.warning('hooks.matcher.ignored', hook.at('matcher'), message, { hint: 'Remove the matcher.' })
}

function noEffect(entry: Located<HookEntry>, event: LifecycleEvent): Diagnostic {
  return report.warning(
    'hooks.on-failure.no-effect',
    entry.at('/onFailure'),
    `A hook that fails never blocks ${event}, so \`onFailure: block\` has no effect.`,
    { pointer: `${entry.pointer}/onFailure`, hint: 'Remove it.' },
  )
}

function noContext(entry: Located<HookEntry>, event: LifecycleEvent): Diagnostic {
  return report.warning(
    'hooks.stdout.no-effect',
    entry.at('/stdout'),
    `${event} tells the model nothing, so what the hook prints goes to the user.`,
    { pointer: `${entry.pointer}/stdout`, hint: 'Write `stdout: user`, or remove it.' },
  )
}

function cappedTimeout(entry: Located<HookEntry>): Diagnostic {
  return report.warning(
    'hooks.timeout.capped',
    entry.at('/timeout'),
    'The end of a session waits for a hook at most 60 seconds, so `timeout` is cut to that.',
    { pointer: `${entry.pointer}/timeout`, hint: 'Write a shorter time, and let the hook start what takes longer.' },
  )
}
