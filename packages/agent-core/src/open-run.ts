import { messageOf } from '@ext/kernel'
import type { Attributed, ContentBlock, ExpansionPayload, Message, SessionStartSource } from '@ext/kernel/contract'
import { handOver } from './agents/handoff/hand-over.js'
import { textBlock, textOf } from './call/content.js'
import { withoutUnreadable } from './call/for-model.js'
import { checkedExpansion } from './expansion.js'
import { loadInstructions } from './instructions/session.js'
import { fire, sayBlockIgnored, stoppedBy } from './lifecycle.js'
import { toolboxAfter, userMessage } from './prompt.js'
import type { RunContext, RunEnd } from './run-context.js'
import { addMessage } from './sessions/conversation.js'
import { pickUp } from './sessions/pick-up.js'
import { until } from './signals.js'
import type { PromptExpansion, RunOptions } from './types.js'

/** What the session was before, if it was anything. */
export interface SessionOrigin {
  readonly source: Exclude<SessionStartSource, 'compact'>
  readonly fromSessionId?: string
}

/** What a run shall do: answer a prompt, go on where a process was ended, or make the conversation shorter. */
export type RunTask =
  | {
      readonly kind: 'prompt'
      readonly input: string | readonly Message[]
      readonly expand?: NonNullable<RunOptions['expand']>
      readonly command?: ExpansionPayload
    }
  | { readonly kind: 'continue' }
  | { readonly kind: 'compact' }

/**
 * What comes before the first turn of a run: SessionStart in the first one of its session, what an ended process has left
 * open, and the prompt.
 */
export async function openRun(run: RunContext, task: RunTask, origin: SessionOrigin): Promise<RunEnd | undefined> {
  const { session } = run
  // Of a run before it.
  session.stop = undefined
  const refused = await openSession(run, origin)
  session.tasks.catchUp(run.emit)
  return (
    refused ??
    (run.session.instructions === undefined ? await loadInstructions(run) : undefined) ??
    (run.session.open ? await pickUp(run, run.session.open, task.kind === 'continue') : undefined) ??
    (run.session.handingOver ? await handOver(run) : undefined) ??
    (task.kind === 'prompt' ? await submitPrompt(run, task) : undefined)
  )
}

async function openSession(run: RunContext, { source, fromSessionId }: SessionOrigin): Promise<RunEnd | undefined> {
  const { agent, session, signal, model } = run
  if (session.started) return undefined
  signal.throwIfAborted()
  session.started = true
  toolboxAfter(run, ({ specs }) => {
    const tools = specs.map(({ name }) => name)
    const { definition } = session.holder ?? {}
    const holder = definition ? { agent: definition.name } : {}
    const { cwd } = session.ref
    run.emit('session_start', { source, cwd, model: model.id, tools, ...holder, diagnostics: agent.diagnostics })
  })
  const payload = {
    source,
    model: model.id,
    ...(fromSessionId === undefined ? {} : { from_session_id: fromSessionId }),
  }
  const result = await fire(run, 'SessionStart', () => payload, { signal, place: 'start' })
  sayBlockIgnored(run, result, 'a session can’t be refused')
  session.pending.push(...result.context)
  return result.stop && stoppedBy(result.stop)
}

/** Puts the prompt into the conversation, unless a hook refuses it: then it leaves no trace there. */
async function submitPrompt(
  run: RunContext,
  { input, expand, command }: Extract<RunTask, { kind: 'prompt' }>,
): Promise<RunEnd | undefined> {
  const { session, signal } = run
  const { before, content } = parts(input)
  const prompt = textOf(content)
  const { block, stop, context } = await fire(run, 'UserPromptSubmit', () => ({ prompt }), { signal, place: 'start' })
  if (stop) return stoppedBy(stop)
  if (block) return { reason: 'blocked', notice: { by: block.by, text: block.reason } }
  run.emit('user', { text: prompt })
  const started = command && (await tellExpansion(run, command, prompt))
  if (started?.end) return started.end
  const expanded = expand ? await expandPrompt(run, expand) : { context: [] }
  if (expanded.problem) return { reason: 'blocked', notice: expanded.problem }
  for (const { by, text } of expanded.context) run.emit('context', { by, place: 'turn', text })
  session.pending.push(...context, ...(started?.context ?? []))
  for (const message of before) addMessage(session, readableMessage(run, message))
  session.promptAt = session.messages.length
  session.totals = { ...session.totals, prompts: session.totals.prompts + 1 }
  const whole = [...content, ...expanded.context.map(({ text }) => textBlock(text))]
  if (whole.length > 0) addMessage(session, userMessage(run, readable(run, whole)), { prompt: true })
  return undefined
}

async function tellExpansion(
  run: RunContext,
  command: ExpansionPayload,
  prompt: string,
): Promise<{ readonly end?: RunEnd; readonly context: readonly Attributed[] }> {
  const options = { signal: run.signal, place: 'start' }
  const { block, stop, context } = await fire(run, 'UserPromptExpansion', () => ({ ...command, prompt }), options)
  if (stop) return { end: stoppedBy(stop), context }
  return block ? { end: { reason: 'blocked', notice: { by: block.by, text: block.reason } }, context } : { context }
}

/** Rejects only when the run is aborted, or the engine behind the steps fails. */
function expandPrompt(run: RunContext, expand: NonNullable<RunOptions['expand']>): Promise<PromptExpansion> {
  const { signal, durable } = run
  return durable.step('expand:start', async () => {
    try {
      return checkedExpansion(await until(signal, expand({ signal })))
    } catch (error) {
      signal.throwIfAborted()
      return { problem: { by: 'expand', text: `The prompt could not be made ready: ${messageOf(error)}` } }
    }
  })
}

/** The last message is the prompt if it is the user's; results of tools need no further word. */
function parts(input: string | readonly Message[]): {
  readonly before: readonly Message[]
  readonly content: readonly ContentBlock[]
} {
  if (typeof input === 'string') return { before: [], content: [textBlock(input)] }
  const last = input.at(-1)
  if (last?.role === 'user') return { before: input.slice(0, -1), content: last.content }
  return { before: input, content: [] }
}

function readableMessage(run: RunContext, message: Message): Message {
  if (message.role === 'assistant') return message
  if (message.role === 'user') return Object.freeze({ ...message, content: readable(run, message.content) })
  const results = message.results.map((result) => Object.freeze({ ...result, content: readable(run, result.content) }))
  return Object.freeze({ ...message, results: Object.freeze(results) })
}

function readable({ model, agent }: RunContext, content: readonly ContentBlock[]): readonly ContentBlock[] {
  return Object.freeze(withoutUnreadable(content, model.limits, agent.limits.maxMediaBytes))
}
