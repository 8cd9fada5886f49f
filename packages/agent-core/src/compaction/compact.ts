import { messageOf } from '@ext/kernel'
import type { CompactTrigger, Message } from '@ext/kernel/contract'
import { textBlock, textOf } from '../call/content.js'
import { isEngineFailure } from '../durable.js'
import { fire, sayBlockIgnored, stoppedBy } from '../lifecycle.js'
import { sayOnce } from '../prompt.js'
import type { RunContext, RunEnd } from '../run-context.js'
import { keepOwnSpent } from '../sessions/spent.js'
import { attempt } from '../signals.js'
import { frameTokens, messagesTokens, tokensNow } from './estimate.js'
import { type CompactionPlan, planCompaction } from './plan.js'
import { shorten } from './shorten.js'
import { type Summary, summarize } from './summarize.js'

/** What became of a compaction. */
export type Compacted =
  | { readonly done: true; readonly tokens: number; readonly end?: RunEnd | undefined }
  /** `end`: a hook wants the run to end */
  | { readonly done: false; readonly problem: string; readonly end?: RunEnd | undefined }

const DEFAULT_KEEP_TURNS = 2
/** Of the context of the model, or of the conversation if that is not known, what the kept messages may have. */
const KEPT_SHARE = 0.3
/** Of the newest prompt beside a summary, in characters. */
const MAX_PROMPT = 8000

/**
 * Puts a summary in the place of the conversation, but for its newest turns. Rejects only when the run is aborted, or the
 * engine behind the steps fails: a compaction that can't be done leaves the conversation as it is.
 * @param place where in the run it happens
 */
export async function compact(run: RunContext, trigger: CompactTrigger, place: string): Promise<Compacted> {
  const { session, signal, agent } = run
  const before = tokensNow(run)
  const plan = planCompaction(session.messages, {
    keepTurns: agent.compaction.keepTurns ?? DEFAULT_KEEP_TURNS,
    keepTokens: Math.floor((run.model.limits?.contextTokens ?? messagesTokens(session.messages)) * KEPT_SHARE),
  })
  if (!plan) return { done: false, problem: 'there is nothing in it that could be left out' }
  const payload = { trigger, before_tokens: before }
  const { block, stop } = await fire(run, 'PreCompact', () => payload, { signal, place })
  if (stop) return { done: false, problem: 'a hook ended the run', end: stoppedBy(stop) }
  if (block) return { done: false, problem: `hook ${block.by} refused it: ${block.reason}` }

  const used = { inputTokens: run.used.inputTokens, outputTokens: run.used.outputTokens, costUsd: run.used.costUsd }
  const made = await summaryOf(run, plan, place)
  const usage = {
    inputTokens: run.used.inputTokens - used.inputTokens,
    outputTokens: run.used.outputTokens - used.outputTokens,
    ...(run.used.costUsd === undefined ? {} : { costUsd: run.used.costUsd - (used.costUsd ?? 0) }),
  }
  if (made.text === undefined) {
    keepOwnSpent(run, usage)
    return { done: false, problem: made.problem, end: made.end }
  }
  const summary = made.text
  const next = nextOf(run, plan, summary, before)
  const after = next.tokens
  if (after >= before) {
    keepOwnSpent(run, usage)
    return { done: false, problem: 'the summary is longer than what it would stand for' }
  }
  replace(run, plan, next, { trigger, usage })
  run.emit('compacted', { trigger, before_tokens: before, after_tokens: after, summary })
  const end = await tell(run, { trigger, before, after, summary }, place)
  return { done: true, tokens: after, end }
}

/** What is only cut needs no summary. */
async function summaryOf(run: RunContext, { summarized }: CompactionPlan, place: string): Promise<Summary> {
  if (summarized.length === 0) return { text: '' }
  try {
    return await summarize(run, summarized, `compact:${place}`)
  } catch (error) {
    run.signal.throwIfAborted()
    if (isEngineFailure(error)) throw error
    return { problem: messageOf(error) }
  }
}

interface Replacement {
  readonly trigger: CompactTrigger
  readonly before: number
  readonly summary: string
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number }
}

/** What the conversation is to be, and its tokens by the count of the model. */
interface Next {
  readonly first: readonly Message[]
  readonly promptAt: number
  readonly tokens: number
}

function nextOf({ session }: RunContext, { summarized, kept }: CompactionPlan, summary: string, before: number): Next {
  const { messages, promptAt } = session
  const prompt = promptAt < summarized.length ? messages[promptAt] : undefined
  const first = summarized.length === 0 ? [] : [summaryMessage(summary, prompt)]
  // The model's way to count is that of the estimate, times this.
  const frame = frameTokens(session)
  const scale = before / Math.max(1, frame + messagesTokens(messages))
  return {
    first,
    promptAt: prompt ? 0 : Math.max(0, promptAt - summarized.length + first.length),
    tokens: Math.round((frame + messagesTokens([...first, ...kept])) * scale),
  }
}

/** One synchronous step: nobody sees half of it. */
function replace(
  { session }: RunContext,
  { kept, isCut }: CompactionPlan,
  { first, promptAt, tokens }: Next,
  { trigger, usage }: Pick<Replacement, 'trigger' | 'usage'>,
): void {
  const { messages, journal } = session
  session.promptAt = promptAt
  messages.splice(0, messages.length, ...first, ...kept)
  session.measured = { tokens, messages: messages.length }
  const [written, keep] = isCut ? [[...first, ...kept], 0] : [first, kept.length]
  journal?.write('compact', { trigger, messages: written, keep, promptAt, usage })
  journal?.turnOver()
}

function summaryMessage(summary: string, prompt: Message | undefined): Message {
  const asked = prompt?.role === 'user' ? textOf(prompt.content) : ''
  const text = [
    '[The conversation became too long, and this summary stands in the place of its beginning. What follows it is as it was.]',
    summary,
    ...(asked === '' ? [] : [`The newest request of the user, word for word:\n${shorten(asked, MAX_PROMPT)}`]),
  ].join('\n\n')
  return Object.freeze({ role: 'user', content: Object.freeze([textBlock(text)]) })
}

/** PostCompact, and SessionStart for whoever has to bring its context again. */
async function tell(
  run: RunContext,
  { trigger, before, after, summary }: Omit<Replacement, 'usage'> & { readonly after: number },
  place: string,
): Promise<RunEnd | undefined> {
  const { session, signal, model } = run
  const say = (error: unknown) =>
    sayOnce(run, `An extension failed when it was told of the compaction: ${messageOf(error)}`)
  for (const extension of session.extensions) attempt(() => extension.compact?.(), say)
  const payload = { trigger, before_tokens: before, after_tokens: after, summary }
  const post = await fire(run, 'PostCompact', () => payload, { signal, place })
  sayBlockIgnored(run, post, 'the conversation is compacted already')
  if (post.stop) return stoppedBy(post.stop)
  if (session.ref.origin !== 'main') return undefined
  const started = await fire(run, 'SessionStart', () => ({ source: 'compact', model: model.id }), { signal, place })
  sayBlockIgnored(run, started, 'a session can’t be refused')
  session.pending.push(...started.context)
  return started.stop && stoppedBy(started.stop)
}
