import { createReporter, type Diagnostic, type Source } from '@ext/kernel'
import type { LifecycleEvent } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import type { CompiledHook } from '../compile.js'
import type { CommandAction } from '../config/actions.js'
import type { HookEntry } from '../config/entry.js'
import { variablesNotGiven } from '../config/lint-variables.js'
import { EVENT_NAMES, events } from '../events.js'
import type { ListedHook } from '../list.js'
import { parseMatcher } from '../match/matcher.js'
import { type Code, commandCode, protocolOf } from './code.js'
import { effectOf, faultOf, type HookEffect, type HookFault } from './effect.js'
import { lintCode } from './lint-code.js'
import { lintFiles } from './lint-files.js'
import { baseName, type CommandHost, commandVariables, startedBy } from './programs.js'

const report = createReporter(diagnosticCodes)

/** A hook with whether it can take effect, and everything that speaks against it. */
export interface DiagnosedHook extends ListedHook {
  readonly effect: HookEffect
  /** What keeps a hook that is well formed from ever taking effect, if something does. */
  readonly fault?: HookFault
  readonly reasons: readonly Diagnostic[]
}

export interface DoctorReport {
  /** In config order. */
  readonly hooks: readonly DiagnosedHook[]
  /** What is about no single hook. */
  readonly others: readonly Diagnostic[]
}

/** Everything that the doctor looks at. */
export interface DoctorRequest extends CommandHost {
  readonly listed: readonly ListedHook[]
  readonly found: ReadonlyMap<string, HookEntry>
  readonly loaded: ReadonlyMap<string, CompiledHook>
  readonly diagnostics: readonly Diagnostic[]
  /** The events that the host fires. */
  readonly events: readonly LifecycleEvent[]
  /** Every name under which a tool can be matched; `undefined` when nobody knows. */
  readonly toolNames: readonly string[] | undefined
  /** Names under which some tools can be matched, whatever others there are. */
  readonly someTools: readonly string[]
  /** Where a file switches a hook off. */
  switchedOffAt(hook: ListedHook): Source | undefined
}

/** Says of every hook whether it can take effect. Reads scripts, runs nothing. */
export async function examine(request: DoctorRequest): Promise<DoctorReport> {
  const { listed, diagnostics } = request
  const ids = new Set(listed.map(({ id }) => id))
  // One hook after the other: real projects have dozens, and each reads a file or two.
  const hooks: DiagnosedHook[] = []
  for (const each of listed) {
    const known = diagnostics.filter(({ entry }) => entry === each.id)
    const reasons = unique([...known, ...(await examineHook(each, known, request))])
    const effect = effectOf(each, request.loaded.get(each.id), reasons, request.toolNames)
    const fault = faultOf(each, effect, reasons)
    hooks.push({ ...each, effect, ...(fault === undefined ? {} : { fault }), reasons })
  }
  return { hooks, others: diagnostics.filter(({ entry }) => entry === undefined || !ids.has(entry)) }
}

async function examineHook(
  listed: ListedHook,
  known: readonly Diagnostic[],
  request: DoctorRequest,
): Promise<readonly Diagnostic[]> {
  const { verdict } = listed
  const entry = request.found.get(listed.id)
  const event = entry?.event.event
  if (verdict === 'disabled') {
    const at = request.switchedOffAt(listed)
    // Or an administrator keeps it off, and has said so.
    return at || known.length === 0 ? [switchedOff(listed, at)] : []
  }
  if (!entry || !event) return []
  const unfired = request.events.includes(event) ? [] : [notFiredHere(event, entry, request.events)]
  return [
    ...unfired,
    ...(request.toolNames ? [] : wrongCase(entry, event, request.someTools)),
    ...(entry.action.type === 'command' ? await examineCommand(entry, entry.action, event, listed, request) : []),
  ]
}

async function examineCommand(
  entry: HookEntry,
  action: CommandAction,
  event: LifecycleEvent,
  { id, source }: ListedHook,
  request: DoctorRequest,
): Promise<readonly Diagnostic[]> {
  const variables = commandVariables(entry, action, request)
  const findings: Diagnostic[] = []
  const scripts: Code[] = []
  for (const started of startedBy(entry, action, request)) {
    const { diagnostics, code } = await lintFiles(started, variables, request, source)
    findings.push(...diagnostics)
    scripts.push(...code)
  }
  const codes = action.args ? scripts : [commandCode(action.command), ...scripts]
  const context = {
    event,
    timeoutMs: request.loaded.get(id)?.timeoutMs ?? entry.timeoutMs,
    blocks: codes.some((code) => protocolOf(code).exit2 !== undefined),
    failureBlocks: entry.onFailure === 'block',
    background: entry.background !== undefined,
    alsoAfter: isAlsoAfter(action, request),
    source,
  }
  findings.push(
    ...codes.flatMap((code) => lintCode(code, context)),
    ...scripts
      .filter(({ shell }) => shell)
      .flatMap((code) => lintScriptVariables(code, action, entry, source, request)),
  )
  return findings
}

/** Whether the same command listens to the ends of calls too. */
function isAlsoAfter({ command }: CommandAction, { found }: DoctorRequest): boolean {
  return [...found.values()].some(
    ({ event, action }) => event.event === 'PostToolUse' && action.type === 'command' && action.command === command,
  )
}

function lintScriptVariables(
  { file = '', text }: Code,
  action: CommandAction,
  entry: HookEntry,
  { layer }: Source,
  { ports: { env, platform }, envPresets }: DoctorRequest,
): readonly Diagnostic[] {
  const { args: _, ...shellAction } = action
  const names = variablesNotGiven({ ...shellAction, command: text }, entry, { env, platform, envPresets })
  return names.flatMap((name) => {
    const lines = text.split('\n')
    const line = lines.findIndex((each) => new RegExp(`\\$\\{?${name}\\b`).test(each)) + 1
    const source = { layer, file, line, column: 1 }
    if (name.startsWith('CLAUDE_')) {
      const hint = 'The event comes as JSON on stdin; `jq` or Python can read it.'
      return [
        report.warning('hooks.env.unset', source, `\`${baseName(file)}\` reads \`${name}\`, which is not set for it.`, {
          hint,
        }),
      ]
    }
    if (env[name] === undefined) return []
    const message = `\`${baseName(file)}\` reads \`${name}\`, which the host has and does not hand on.`
    return [
      report.warning('hooks.env.undeclared', source, message, { hint: `Add \`passEnv: [${name}]\` to the action.` }),
    ]
  })
}

/** A name that only differs in case from that of a tool is no other tool's, also where not all tools are known. */
function wrongCase(entry: HookEntry, event: LifecycleEvent, tools: readonly string[]): readonly Diagnostic[] {
  const form = parseMatcher(entry.matcher)
  if (form.kind !== 'names' || events[event].matcherField !== 'tool_name') return []
  return form.names.flatMap((name) => {
    const meant = tools.find((tool) => tool.toLowerCase() === name.toLowerCase())
    if (meant === undefined || tools.includes(name)) return []
    const message = `\`${name}\` fits nothing here, but there is \`${meant}\`.`
    return report.warning('hooks.matcher.case', entry.at('matcher'), message, { hint: `Write ${meant}; case matters.` })
  })
}

function notFiredHere(event: LifecycleEvent, entry: HookEntry, fired: readonly LifecycleEvent[]): Diagnostic {
  const message = `This host does not fire ${event}, so the hook can never run.`
  const hint = `Use one of: ${EVENT_NAMES.filter((name) => fired.includes(name)).join(', ')}.`
  return report.error('hooks.event.not-fired', entry.at('event'), message, { hint })
}

function switchedOff({ name, source }: ListedHook, at: Source | undefined): Diagnostic {
  const related = at ? { related: [{ message: 'it is switched off here', source: at }] } : {}
  const where = at?.file ?? at?.name
  const hint =
    where === undefined
      ? 'Ask whoever set the policy.'
      : `Remove \`disabledHooks\` or \`disableAllHooks\` in ${where} if it is to run.`
  return report.info('hooks.off', source, `\`${name}\` is switched off.`, { hint, ...related })
}

function unique(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const key = ({ code, message }: Diagnostic) => `${code} ${message}`
  return [...new Map(diagnostics.map((each) => [key(each), each])).values()]
}
