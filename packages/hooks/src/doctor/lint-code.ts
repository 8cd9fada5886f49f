import { createReporter, type Diagnostic, type Source } from '@ext/kernel'
import type { LifecycleEvent } from '@ext/kernel/contract'
import { formatDuration } from '@ext/kernel/duration'
import { diagnosticCodes } from '../codes.js'
import { eventNamed } from '../event-names.js'
import { COMMON_PAYLOAD, EVENT_NAMES, events } from '../events.js'
import { SPECIFIC_FIELDS } from '../protocol/output.js'
import { type Code, lineOf, longestSleep, onlyRefuses, type Protocol, protocolOf } from './code.js'

const report = createReporter(diagnosticCodes)

/** What is known of the hook that a code belongs to. */
export interface CodeContext {
  readonly event: LifecycleEvent
  readonly timeoutMs: number | undefined
  readonly failureBlocks: boolean
  /** Some part of the hook blocks by its exit code. */
  readonly blocks: boolean
  /** Nobody waits for it. */
  readonly background: boolean
  /** The same code also listens to what comes after the call. */
  readonly alsoAfter: boolean
  /** Where the hook stands. */
  readonly source: Source
}

type Finding = readonly [
  code: keyof typeof diagnosticCodes,
  severity: 'error' | 'warning' | 'info',
  message: string,
  hint: string,
  index: number,
]

/** What the text of a hook gives away: that it does not speak the protocol, or speaks that of another event. */
export function lintCode(code: Code, context: CodeContext): readonly Diagnostic[] {
  const protocol = protocolOf(code)
  const findings: readonly Finding[] = [
    ...lintExit(code, protocol, context),
    ...lintReply(code, protocol, context),
    ...lintInput(code, context),
    ...lintPlace(code, protocol, context),
  ]
  return findings.map(([name, severity, message, hint, index]) =>
    report[severity](name, placeOf(code, context.source, index), message, { hint }),
  )
}

function placeOf(code: Code, hook: Source, index: number): Source {
  return code.file === undefined ? hook : { layer: hook.layer, file: code.file, line: lineOf(code, index), column: 1 }
}

function lintExit(
  { called, bare }: Code,
  { exit1, exit2, otherExit, replies, writesStderr }: Protocol,
  { event, failureBlocks, blocks, background }: CodeContext,
): readonly Finding[] {
  const { tier } = events[event]
  const findings: Finding[] = []
  const decides = (tier === 'hard' || tier === 'feedback') && !background
  if (decides && exit1 !== undefined && !blocks && !otherExit && !replies && !failureBlocks) {
    const message = `${called} ends with 1, which is a failure and blocks nothing.`
    findings.push(['hooks.exit.one', 'warning', message, 'Write `exit 2` to block; the reason goes to stderr.', exit1])
  }
  if (exit2 !== undefined && tier === 'degrade' && !replies) {
    const message = `${called} ends with 2, but nothing can be blocked at ${event}.`
    const meant =
      event === 'PermissionDenied' || event === 'SubagentStart' ? 'PreToolUse' : 'an event that can be blocked'
    findings.push(['hooks.decision.no-effect', 'warning', message, `Listen to ${meant}, or end with 0.`, exit2])
  }
  const says = /\b(?:echo|print|printf|console\.log)\b/.exec(bare)?.index
  if (decides && exit2 !== undefined && says !== undefined && !writesStderr && !replies) {
    const message = `${called} blocks and gives its reason on stdout; other products read it from stderr only.`
    findings.push(['hooks.reason.stdout', 'info', message, 'Add `>&2` to what prints the reason.', says])
  }
  return findings
}

/** What people write for the fields of a reply. */
const WRONG_FIELDS: Readonly<Record<string, string>> = {
  updated_input: 'updatedInput',
  modifiedInput: 'updatedInput',
  modified_input: 'updatedInput',
  newInput: 'updatedInput',
  new_input: 'updatedInput',
  updatedToolInput: 'updatedInput',
  updated_tool_input: 'updatedInput',
  updated_output: 'updatedToolOutput',
  updatedOutput: 'updatedToolOutput',
  modifiedOutput: 'updatedToolOutput',
  modified_output: 'updatedToolOutput',
  updated_tool_output: 'updatedToolOutput',
  updatedToolResponse: 'updatedToolOutput',
  permission_decision: 'permissionDecision',
  permissionDecison: 'permissionDecision',
  permission_decision_reason: 'permissionDecisionReason',
  hook_specific_output: 'hookSpecificOutput',
  hookSpecificOutputs: 'hookSpecificOutput',
  additional_context: 'additionalContext',
  additionalContexts: 'additionalContext',
  system_message: 'systemMessage',
  stop_reason: 'stopReason',
}

/** Those that other texts than replies have, too. */
const COMMON: ReadonlySet<string> = new Set([
  'newInput',
  'new_input',
  'updated_output',
  'stop_reason',
  'system_message',
])

const KEY = /(?<![\w$.])\\?["']?([A-Za-z]\w{3,40})\\?["']?\s*:/g
const DECISIONS = ['allow', 'approve', 'ask', 'deny', 'block', 'defer']

function lintReply({ called, bare }: Code, { replies }: Protocol, { event }: CodeContext): readonly Finding[] {
  const keys = new Map([...bare.matchAll(KEY)].map((found) => [found[1] ?? '', found.index]))
  const findings: Finding[] = []
  for (const [key, index] of keys) {
    const right = Object.hasOwn(WRONG_FIELDS, key) ? WRONG_FIELDS[key] : undefined
    if (right === undefined || keys.has(right) || (COMMON.has(key) && !replies)) continue
    const message = `${called} replies with \`${key}\`, which is no field of a reply.`
    findings.push(['hooks.reply.field', 'warning', message, `Write ${right}.`, index])
  }
  const specific = SPECIFIC_FIELDS.filter((field) => field !== 'retry' && keys.has(field))
  const [first] = specific
  if (first !== undefined && !/hookSpecificOutput|hook_specific_output/.test(bare)) {
    const message = `${called} replies with \`${first}\` outside of \`hookSpecificOutput\`, which counts as a failure.`
    const hint = `Write {"hookSpecificOutput": {"hookEventName": "${event}", "${first}": …}}.`
    findings.push(['hooks.reply.place', 'warning', message, hint, keys.get(first) ?? 0])
  }
  const named = [...bare.matchAll(/hookEventName\\?["']?\s*:\s*\\?["'](\w+)/g)]
  if (named.length > 0 && !named.some(([, name = '']) => eventNamed(name)?.event === event)) {
    const message = `${called} replies for ${named[0]?.[1]}, and the hook listens to ${event}.`
    findings.push([
      'hooks.reply.event',
      'warning',
      message,
      `Write ${event} as its hookEventName.`,
      named[0]?.index ?? 0,
    ])
  }
  // A script for several events answers each in its own way.
  const isShared = EVENT_NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(bare)).some((name) => name !== event)
  const unheard = specific.find(
    (field) => field !== 'permissionDecisionReason' && !events[event].outputs.includes(field),
  )
  if (unheard !== undefined && !isShared) {
    const where = EVENT_NAMES.filter((name) => events[name].outputs.includes(unheard)).join(' or ')
    const message = `${called} replies with \`${unheard}\`, which ${event} does not honour.`
    findings.push(['hooks.decision.no-effect', 'warning', message, `Listen to ${where}.`, keys.get(unheard) ?? 0])
  }
  for (const { 1: field, 2: value = '', index } of bare.matchAll(
    /(permissionDecision|(?<![A-Za-z])decision)\\?["']?\s*:\s*\\?["'](\w+)/g,
  )) {
    if (DECISIONS.includes(value)) continue
    const message = `${called} replies with the ${field} \`${value}\`, which means nothing.`
    const hint = field === 'decision' ? 'Write "block" or "approve".' : 'Write "deny", "ask" or "allow".'
    findings.push(['hooks.reply.value', 'warning', message, hint, index])
  }
  return findings
}

/** Names that people take for fields of the payload, and where to find what they mean. */
const WRONG_PAYLOAD: Readonly<Record<string, string>> = {
  toolName: 'tool_name',
  toolInput: 'tool_input',
  tool: 'tool_name',
  params: 'tool_input',
  parameters: 'tool_input',
  arguments: 'tool_input',
  input: 'tool_input',
  command: 'tool_input.command',
  file_path: 'tool_input.file_path',
  path: 'tool_input.path',
  content: 'tool_input.content',
  toolResponse: 'tool_response',
  tool_output: 'tool_response',
  tool_result: 'tool_response',
  sessionId: 'session_id',
  hookEventName: 'hook_event_name',
  userPrompt: 'prompt',
  user_prompt: 'prompt',
  message: 'prompt',
}

function lintInput({ called, bare, shell }: Code, { event }: CodeContext): readonly Finding[] {
  if (!shell) return []
  const known: Readonly<Record<string, unknown>> = { ...COMMON_PAYLOAD, ...events[event].fields }
  const reads = [...bare.matchAll(/\bjq\s+(?:-\w+\s+)*(['"])\.(\w+)[^'"]*\1\s*(?:\)|\||;|$|2>)/gm)]
  const [first] = reads.filter(([, , name = '']) => !Object.hasOwn(known, name) && Object.hasOwn(WRONG_PAYLOAD, name))
  if (!first) return []
  const name = first[2] ?? ''
  const right = WRONG_PAYLOAD[name] ?? ''
  const has = Object.hasOwn(known, right.split('.')[0] ?? '')
  const hint = has ? `Read .${right}.` : `It has ${Object.keys(events[event].fields).join(', ')}.`
  return [
    ['hooks.input.field', 'warning', `${called} reads \`.${name}\`, which ${event} does not have.`, hint, first.index],
  ]
}

function lintPlace(code: Code, protocol: Protocol, context: CodeContext): readonly Finding[] {
  const { called, bare } = code
  const { event, timeoutMs, alsoAfter } = context
  const findings: Finding[] = []
  const sleep = longestSleep(code)
  if (timeoutMs !== undefined && sleep >= timeoutMs) {
    const message = `${called} sleeps ${formatDuration(sleep)}, and its time is up after ${formatDuration(timeoutMs)}.`
    findings.push([
      'hooks.timeout.short',
      'warning',
      message,
      'Give it more time with `timeout`, or let it wait less.',
      0,
    ])
  }
  const { exit1, exit2, otherExit, replies } = protocol
  const note = />>\s{0,9}\S{0,200}(?:log|audit|history|record|journal|trace)/i.exec(bare)?.index
  const decides = exit1 !== undefined || exit2 !== undefined || otherExit || replies
  if (event === 'PreToolUse' && note !== undefined && !decides && !alsoAfter) {
    const message = `${called} only takes notes, before the call: what is then denied or fails is noted as well.`
    const hint = 'Listen to PostToolUse, and to PostToolUseFailure for what failed; stay here to note attempts.'
    findings.push(['hooks.event.before', 'warning', message, hint, note])
  }
  const refuses = event === 'Stop' || event === 'SubagentStop'
  if (refuses && onlyRefuses(code)) {
    const message = `${called} refuses every end, so the model is kept going until the cap ends it.`
    const hint = 'Let it pass when `stop_hook_active` is true, or when there is nothing left to do.'
    findings.push(['hooks.stop.always', 'warning', message, hint, exit2 ?? 0])
  }
  return findings
}
