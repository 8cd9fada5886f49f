import {
  canonicalJson,
  createReporter,
  type Diagnostic,
  type HostPorts,
  hasErrors,
  isForeignLayer,
  type Located,
  type Outcome,
  type Source,
} from '@ext/kernel'
import type { LifecycleEvent, ToolTable } from '@ext/kernel/contract'
import type { EnvPreset } from '@ext/kernel/env'
import { MATCH_ALL, type Matcher } from '@ext/kernel/match'
import type { TrustSubject } from '@ext/kernel/trust'
import { diagnosticCodes } from './codes.js'
import type { Action } from './config/actions.js'
import { conditionProblem } from './config/condition.js'
import type { HookDialect, HookEntry, HookOwner, StdoutTarget } from './config/entry.js'
import { folderVariables } from './config/folders.js'
import { lintAction } from './config/lint-action.js'
import { lintRule, MAX_SESSION_END_MS } from './config/lint-rule.js'
import { EVENT_NAMES, type EventRow, events, takesContext } from './events.js'
import type { HookHost } from './host.js'
import { type Condition, compileCondition } from './match/condition.js'
import { fileNames, lintFileNames, matchFiles } from './match/files.js'
import { lintMatcher, misunderstoodMatcher, unusableMatcher, type WrittenMatcher } from './match/lint.js'
import { compileMatcher, otherNames, parseMatcher } from './match/matcher.js'
import type { Policies } from './policy/policies.js'
import { trustSubject } from './trust/subject.js'

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
  /** Nobody waits for it; with `rewake` its block signal reaches the model. */
  readonly background?: 'async' | 'rewake'
  /** Runs behind the sequential hooks before it. */
  readonly sequential: boolean
  readonly stdout: StdoutTarget
  readonly owner?: HookOwner
  /** Of FileChanged: the files that it wants to hear of, as they are written. */
  readonly files?: readonly string[]
  /** Hooks that share it are one hook in several files. */
  readonly identity: string
  /** Matcher and `if` as they are written. */
  readonly written: Pick<HookEntry, 'matcher' | 'condition'>
  /** Where it stands. Looked up once: every run names it. */
  place(): Source
  /** What a person has to have agreed to before it runs in a folder. Absent where nobody has to. */
  subject?(cwd: string): TrustSubject
  /** Whether the administrator lets it run in a folder as it is now. Absent where that can't change. */
  isAllowed?(cwd: string): boolean
}

export interface CompileContext {
  readonly root: string
  /** A hook that says nothing else blocks when it fails. */
  readonly strict: boolean
  readonly tools: ToolTable
  readonly knownTools: readonly string[] | undefined
  readonly ports: HostPorts
  readonly host: HookHost
  readonly envPresets: readonly EnvPreset[]
  readonly policies: Policies
}

/** Says what a hook means, or why it can never run. */
export function compileHook(entry: Located<HookEntry>, context: CompileContext): Outcome<CompiledHook> {
  const hook = entry.value
  const { event } = hook.event
  if (event === undefined) return { diagnostics: [notFired(entry, hook.event.notFired)] }
  const row = events[event]
  if (typeof hook.condition === 'string' && row.matcherField !== 'tool_name') {
    return { diagnostics: [noTool(entry, event)] }
  }
  const matcher = toMatcher(entry, event, row, context)
  if (!matcher.value) return { diagnostics: matcher.diagnostics }
  const diagnostics = [
    ...matcher.diagnostics,
    ...lintAction(entry, {
      event,
      host: context.host,
      variables: { ...context.ports, envPresets: context.envPresets },
    }),
    ...lintRule(entry, event),
    ...otherTool(entry, context.tools),
  ]
  if (hasErrors(diagnostics)) return { diagnostics }
  const condition = hook.condition === undefined ? undefined : compileCondition(hook.condition, entry.source, context)
  if (condition?.problem !== undefined) {
    diagnostics.push(conditionProblem(entry, condition.problem, { rest: condition.condition ? 'tool' : 'nothing' }))
  }
  const timeoutMs = Math.min(hook.timeoutMs ?? defaultTimeout(hook, event), context.policies.maxTimeoutMs(entry))
  const { action, diagnostics: restrictions } = restrict(entry, context.policies)
  diagnostics.push(...restrictions)
  const isAllowed = context.policies.startCheck(entry)
  const stdout = hook.stdout ?? row.plainStdout
  return {
    value: {
      dialect: hook.dialect,
      event,
      matcher: matcher.value,
      ...(condition?.condition ? { condition: condition.condition } : {}),
      action,
      timeoutMs: event === 'SessionEnd' ? Math.min(timeoutMs, MAX_SESSION_END_MS) : timeoutMs,
      onFailure: hook.onFailure ?? (context.strict || context.policies.blocksOnFailure ? 'block' : 'continue'),
      once: hook.once,
      ...(hook.background ? { background: hook.background } : {}),
      sequential: hook.sequential && !hook.background,
      stdout: stdout === 'context' && !takesContext(event) ? 'user' : stdout,
      ...(hook.owner ? { owner: hook.owner } : {}),
      ...(row.matcherField === 'file_path' ? { files: fileNames(hook.matcher) } : {}),
      written: {
        ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
        ...(hook.condition === undefined ? {} : { condition: hook.condition }),
      },
      identity: identityOf(entry, event, condition?.condition?.text),
      place: lookedUpOnce(() => entry.at()),
      ...(isForeignLayer(entry.source.layer) ? { subject: (cwd: string) => trustSubject(entry, context, cwd) } : {}),
      ...(isAllowed ? { isAllowed } : {}),
    },
    diagnostics,
  }
}

/** What policies leave of a hook that may run. */
function restrict(
  entry: Located<HookEntry>,
  policies: Policies,
): { readonly action: Action; readonly diagnostics: readonly Diagnostic[] } {
  const { action, timeoutMs = 0 } = entry.value
  const diagnostics: Diagnostic[] = []
  const most = policies.maxTimeoutMs(entry)
  if (timeoutMs > most) {
    const message = `The time-out is longer than the ${most} ms that the policy of this machine allows, which count.`
    const hint = 'Write a shorter one.'
    diagnostics.push(report.warning('hooks.policy.timeout', entry.at('/timeout'), message, { hint }))
  }
  if (action.type !== 'http') return { action, diagnostics }
  const allowedEnvVars = action.allowedEnvVars.filter((name) => policies.allowsHeaderVariable(entry, name))
  for (const name of action.allowedEnvVars.filter((each) => !allowedEnvVars.includes(each))) {
    const message = `\`${name}\` may not stand in headers by the policy of this machine, so it is empty there.`
    const hint = 'Remove it, or have the administrator add it to `httpHookAllowedEnvVars`.'
    diagnostics.push(report.warning('hooks.policy.env', entry.at(), message, { hint }))
  }
  return { action: { ...action, allowedEnvVars }, diagnostics }
}

function lookedUpOnce<T>(lookUp: () => T): () => T {
  let found: T | undefined
  return () => {
    found ??= lookUp()
    return found
  }
}

/**
 * What is the same in two files is one hook: of the same owner, at the same event, doing the same under the same
 * condition. One that nobody waits for does another job than one that decides, and a command may do another thing with
 * other folders in its variables.
 */
function identityOf({ value: hook, id }: Located<HookEntry>, event: LifecycleEvent, condition = ''): string {
  const { action, owner = null, background = '' } = hook
  if (action.type === 'function') return id
  const folders = action.type === 'command' ? folderVariables(hook, '') : {}
  return canonicalJson([owner, event, action, condition, background, folders])
}

/** Claude Code waits ten minutes for a program, but not before it takes a prompt; and nobody waits long for the end. */
function defaultTimeout({ dialect, action }: HookEntry, event: LifecycleEvent): number {
  if (event === 'SessionEnd') return 1500
  if (action.type === 'agent') return 60_000
  if (action.type === 'prompt') return 30_000
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
  if (row.matcherField === 'file_path') {
    return { value: matchFiles(hook.matcher), diagnostics: lintFileNames(hook.matcher, hook.at('matcher')) }
  }
  const ofTools = row.matcherField === 'tool_name'
  const written: WrittenMatcher = {
    text: hook.matcher ?? '*',
    form: parseMatcher(hook.matcher),
    anchored: hook.dialect !== 'claude-settings',
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

/** Tools that rules about each other's calls may fit, by what they are about. */
const KINDS: readonly (readonly string[])[] = [
  ['Bash'],
  ['WebFetch'],
  ['WebSearch'],
  ['Agent', 'Task'],
  ['Skill'],
  ['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'NotebookRead', 'LS', 'Glob', 'Grep'],
]

/** A matcher and an `if` that no call can fit both. */
function otherTool({ value: hook, ...entry }: Located<HookEntry>, tools: ToolTable): readonly Diagnostic[] {
  const [, tool = ''] = (typeof hook.condition === 'string' && /^(\w+)(?:\(|$)/.exec(hook.condition)) || []
  const kind = KINDS.find((names) => names.includes(tool))
  const form = parseMatcher(hook.matcher)
  if (kind === undefined || form.kind !== 'names' || form.names.length === 0) return []
  const fits = (name: string) => {
    const like = Object.hasOwn(tools, name) ? tools[name]?.as : undefined
    return [name, like, ...otherNames(name)].some((each) => each !== undefined && kind.includes(each))
  }
  if (form.names.some(fits)) return []
  const message = `The matcher is \`${hook.matcher}\` and \`if\` is about ${tool}, so the hook never runs.`
  const details = { pointer: `${entry.pointer}/if`, hint: `Write \`matcher: ${tool}\`, or another \`if\`.` }
  return [report.warning('hooks.if.other-tool', entry.at('/if'), message, details)]
}

/** Every name under which a tool of this host can be matched. */
export function knownNames(knownTools: readonly string[], tools: ToolTable): readonly string[] {
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
