import type { ProcessResult } from '@ext/kernel'
import type { HookOutcome, JsonObject } from '@ext/kernel/contract'
import { formatDuration } from '@ext/kernel/duration'
import type { StdoutTarget } from '../config/entry.js'
import { events } from '../events.js'
import { TOO_DEEP } from './depth.js'
import { readFields } from './fields.js'
import { isReply, type Output, parseOutput } from './output.js'
import type { Rewrite } from './rewrite.js'
import type { ActionResult, Asked, ElicitationReply, ReadFields, ReplyFields, ReplyProblem } from './types.js'

/** What one run of a hook comes to. */
export interface Reply {
  readonly outcome: HookOutcome
  readonly cause?: string
  readonly reason?: string
  /** The reason of a block that counts at this event. */
  readonly block?: string
  readonly stop?: string
  readonly opinion?: 'allow' | 'ask'
  readonly rewrite?: Rewrite
  /** Beside the opinion `allow`: rules to remember. */
  readonly rules?: readonly string[]
  readonly retry?: true
  readonly answer?: ElicitationReply
  readonly context?: string
  /** For the user: messages, failures, and whatever was ignored. */
  readonly notices: readonly string[]
}

/** What the hook and its event say about how a result is to be read. */
export interface ReplyRules extends Asked {
  readonly stdout: StdoutTarget
  readonly onFailure: 'continue' | 'block'
  readonly timeoutMs: number
  /** A block reaches the model also where it can keep nothing from happening. */
  readonly wakes: boolean
}

/** Kept of each stream; the rest is counted and dropped. */
export const MAX_OUTPUT_BYTES: number = 1024 * 1024

/** More than this crowds out the conversation, and nobody reads it. UTF-16 units. */
const MAX_TEXT = 10_000

/** Says what the result of an action means. Pure. */
export function interpret(result: ActionResult, rules: ReplyRules): Reply {
  switch (result.kind) {
    case 'ended':
      return interpretProcess(result.process, rules)
    case 'replied':
      return interpretFields(readFields(result.reply, rules), rules, result.problem)
    case 'judged':
      return judgement(result, rules)
    case 'reminds':
      return plainText(result.text, { ...rules, stdout: 'context' })
    case 'silent':
      return NO_DECISION
    case 'failed':
      return failure(rules, result.cause, result.detail)
    case 'unaskable':
      return unasked(rules, result.cause, result.detail)
    case 'timed-out':
      return timeOut(rules)
    case 'skipped':
      return { outcome: 'skipped', cause: result.cause, notices: result.notice === undefined ? [] : [result.notice] }
  }
}

/** Reads what a command left behind by the protocol of exit codes and JSON. */
function interpretProcess(result: ProcessResult, rules: ReplyRules): Reply {
  if (result.outcome === 'cannot-start') return failure(rules, 'cannot start', result.message)
  if (result.outcome === 'timed-out') return timeOut(rules, result.stderr)
  if (result.exitCode === null) return failure(rules, `ended by ${result.signal ?? 'a signal'}`, result.stderr)

  const output = parseOutput(result.stdout)
  const read = output.kind === 'json' ? readFields(output.value, rules) : undefined
  const reply =
    result.exitCode === 2
      ? blockSignal(result, output, read, rules)
      : result.exitCode === 0
        ? success(result, output, read, rules)
        : oddExit(result, read, rules)
  return { ...reply, notices: [...reply.notices, ...remarks(result, output, read)] }
}

const NO_DECISION: Reply = { outcome: 'noDecision', notices: [] }

/** Fields that came without a process: nothing but them says anything. */
function interpretFields(read: ReadFields, rules: ReplyRules, unreadable: ReplyProblem | undefined): Reply {
  const { fields, problem = unreadable, ignored } = read
  const reply = problem ? stricterPart(read, rules, problem.cause, problem.detail) : fromFields(fields, rules)
  return { ...reply, notices: [...reply.notices, ...ignored.map((what) => `ignored: ${what}`)] }
}

/** That somebody sees nothing wrong is no reason to ask nobody else. */
function judgement({ ok, reason }: { readonly ok: boolean; readonly reason?: string }, rules: ReplyRules): Reply {
  if (!ok) return fromFields({ block: true, ...(reason === undefined ? {} : { reason }) }, rules)
  const notices: string[] = []
  return reason === undefined
    ? NO_DECISION
    : { outcome: 'noDecision', reason: capped('reason', reason, notices), notices }
}

function timeOut(rules: ReplyRules, detail?: string): Reply {
  return { ...failure(rules, `no answer within ${formatDuration(rules.timeoutMs)}`, detail), outcome: 'timedOut' }
}

function success(result: ProcessResult, output: Output, read: ReadFields | undefined, rules: ReplyRules): Reply {
  if (output.kind === 'bad') return failure(rules, output.cause, EXPLAINED[output.cause] ?? excerpt(result.stdout))
  if (read?.problem) return stricterPart(read, rules, read.problem.cause, read.problem.detail)
  if (read) return fromFields(read.fields, rules)
  if (replyOn(result.stderr)) return failure(rules, 'JSON on stderr', 'replies are read from stdout only')
  if (output.kind === 'text') return plainText(output.text, rules)
  return { outcome: 'noDecision', ...unread(result), notices: [] }
}

/** An exit code other than 0 and 2 is a failure, yet what makes things stricter still counts. */
function oddExit(result: ProcessResult, read: ReadFields | undefined, rules: ReplyRules): Reply {
  const cause = `exit ${result.exitCode}`
  return read ? stricterPart(read, rules, cause, result.stderr) : failure(rules, cause, result.stderr || result.stdout)
}

function stricterPart({ fields }: ReadFields, rules: ReplyRules, cause: string, detail: string): Reply {
  const { rewrite, opinion, rules: _, retry, answer, ...others } = fields
  const dropped: string[] = []
  if (opinion === 'allow') dropped.push(`ignored: allow (${cause})`)
  if (rewrite) dropped.push(`ignored: ${rewrite.field} (${cause})`)
  if (retry) dropped.push(`ignored: retry (${cause})`)
  // Whoever says no to a server that asks is heard in any case.
  const no = answer && answer.action !== 'accept' ? { answer } : {}
  if (answer?.action === 'accept') dropped.push(`ignored: accept (${cause})`)
  const kept = fromFields({ ...others, ...(opinion === 'ask' ? { opinion } : {}), ...no }, rules)
  const failed = failure(rules, cause, detail)
  // To ask is less than to block, which is what a failure of this hook is to do.
  const isStricter = kept.opinion !== undefined || kept.answer !== undefined
  if (kept.block !== undefined || kept.stop !== undefined || (isStricter && failed.block === undefined)) {
    return { ...kept, cause, notices: [...kept.notices, ...dropped] }
  }
  const context = kept.context === undefined ? {} : { context: kept.context }
  return { ...failed, ...context, notices: [...failed.notices, ...kept.notices, ...dropped] }
}

/** Exit code 2 blocks, whatever the JSON says. */
function blockSignal(result: ProcessResult, output: Output, read: ReadFields | undefined, rules: ReplyRules): Reply {
  const { opinion, rules: _, retry, answer, ...fields } = read?.fields ?? {}
  const onStderr = replyOn(result.stderr)
  const reason =
    fields.reason ??
    (onStderr ? readFields(onStderr, rules).fields.reason : undefined) ??
    (result.stderr.trim() || (output.kind === 'text' ? output.text : '') || 'It gave no reason.')
  const reply = fromFields({ ...fields, block: true, reason }, rules)
  const notices = [...reply.notices]
  if (opinion === 'allow') notices.push('contradiction: it says allow and exits with 2, which blocks')
  if (retry) notices.push('ignored: retry (exit 2)')
  if (answer) notices.push(`ignored: ${answer.action} (exit 2 declines)`)
  if (output.kind === 'bad') notices.push(`ignored: its output (${output.cause})`)
  if (read?.problem) notices.push(`ignored: a part of its reply (${read.problem.cause}: ${read.problem.detail})`)
  if (onStderr) notices.push('its reply stands on stderr; replies are read from stdout only')
  return { ...reply, notices }
}

function fromFields(fields: ReplyFields, rules: ReplyRules): Reply {
  const notices: string[] = []
  const message = capped('message', fields.message, notices)
  if (message !== undefined) notices.push(message)
  const reason = capped('reason', fields.reason, notices)
  const stopReason = capped('reason to stop', fields.stopReason, notices)
  const block = fields.block ? (reason ?? 'It gave no reason.') : undefined
  const blocks = block !== undefined && (rules.wakes || events[rules.event].tier !== 'degrade')
  if (block !== undefined && !blocks) notices.push(`block ignored: ${block}`)
  const context = capped('context', fields.context, notices)
  const saysNothing = Object.keys(fields).length === 0
  return {
    outcome: saysNothing ? 'noDecision' : 'decided',
    ...(reason === undefined ? {} : { reason }),
    ...(blocks ? { block } : {}),
    ...(fields.stop ? { stop: stopReason ?? 'It gave no reason.' } : {}),
    ...(fields.opinion ? { opinion: fields.opinion } : {}),
    ...(fields.rewrite ? { rewrite: fields.rewrite } : {}),
    ...(fields.rules ? { rules: fields.rules } : {}),
    ...(fields.retry ? { retry: fields.retry } : {}),
    ...(fields.answer ? { answer: fields.answer } : {}),
    ...(context === undefined ? {} : { context }),
    notices,
  }
}

function plainText(text: string, { stdout }: ReplyRules): Reply {
  if (stdout === 'ignore') return { outcome: 'noDecision', notices: [] }
  const notices: string[] = []
  if (stdout === 'user') return { outcome: 'decided', notices: [capped('text', text, notices), ...notices] }
  return { outcome: 'decided', context: capped('context', text, notices), notices }
}

/** Never worded as a refusal: the hook had no opinion, it broke. It blocks only where its rule says so. */
function failure({ event, onFailure }: ReplyRules, cause: string, detail = ''): Reply {
  const shown = excerpt(detail)
  const { tier } = events[event]
  const blocks = onFailure === 'block' && (tier === 'hard' || tier === 'note')
  return {
    outcome: 'failed',
    cause,
    ...(blocks ? { block: `The hook failed (${cause}), and it is set to block when it fails.` } : {}),
    notices: [`failed (${cause})${shown ? `: ${shown}` : ''}`],
  }
}

/** Whoever makes a call too large for its guard must not get past it: a person is asked instead. */
function unasked(rules: ReplyRules, cause: string, detail: string): Reply {
  const failed = failure(rules, cause, detail)
  if (failed.block !== undefined || rules.event !== 'PreToolUse') return failed
  return { ...failed, opinion: 'ask', reason: `The hook could not look at it (${cause}).` }
}

/** What is worth knowing about a reply besides its effect. */
function remarks(result: ProcessResult, output: Output, read: ReadFields | undefined): readonly string[] {
  const notices = (read?.ignored ?? []).map((what) => `ignored: ${what}`)
  if (output.kind === 'json' && output.noise && !read?.isQuiet)
    notices.push(`text before its JSON was skipped: ${excerpt(output.noise)}`)
  if (result.stdoutBytes > MAX_OUTPUT_BYTES) {
    notices.push(`only the first ${MAX_OUTPUT_BYTES} of ${result.stdoutBytes} bytes of its output were kept`)
  }
  return notices
}

const EXPLAINED: Readonly<Record<string, string>> = {
  [TOO_DEEP]: 'print one JSON object that is not as deep',
  'a reply that is no JSON object of its own': 'print one JSON object on lines of its own, with double quotes',
  'echo of its input': 'print the reply only, not the event that came in',
  'text after the JSON document': 'print nothing after the reply',
}

function replyOn(stderr: string): JsonObject | undefined {
  const output = parseOutput(stderr)
  return output.kind === 'json' && isReply(output.value) ? output.value : undefined
}

/** An empty success is no decision; that it never looked at its input is worth a word. */
function unread(result: ProcessResult): { readonly cause?: string } {
  return result.inputNotRead ? { cause: 'input not read' } : {}
}

function capped<T extends string | undefined>(what: string, text: T, notices: string[]): T | string {
  if (text === undefined || text.length <= MAX_TEXT) return text
  notices.push(`its ${what} was cut from ${text.length} to ${MAX_TEXT} characters`)
  return `${text.slice(0, MAX_TEXT)}…`
}

function excerpt(text: string): string {
  const trimmed = text.trim()
  return trimmed.length > 500 ? `${trimmed.slice(0, 500)}…` : trimmed
}
