import { ExtError, isMap, messageOf } from '@ext/kernel'
import type { ContentBlock, Message, ModelRequest, Tool } from '@ext/kernel/contract'
import { textBlock } from './call/content.js'
import { createToolbox, type Toolbox } from './call/toolbox.js'
import { attributed } from './lifecycle.js'
import { requestMessages } from './request-messages.js'
import type { RunContext } from './run-context.js'
import { addMessage } from './sessions/conversation.js'
import { until, whenRejected } from './signals.js'
import type { ContextBlock } from './types.js'

/** Lets the host change what may change between two turns. Rejects only when the run is aborted. */
export async function prepareTurn(run: RunContext): Promise<void> {
  const { agent, session, signal } = run
  if (!agent.beforeTurn) return
  try {
    const told = await until(signal, agent.beforeTurn(session.ref, { signal }))
    for (const text of told ?? []) run.emit('notice', { text })
  } catch (error) {
    signal.throwIfAborted()
    sayOnce(run, `\`beforeTurn\` failed: ${messageOf(error)}`)
  }
}

/** The tools of this turn. The same toolbox as before as long as the sources give the same tools. */
export function currentToolbox(run: RunContext): Toolbox {
  const { agent, session } = run
  const lists: readonly (readonly Tool[])[] = [
    agent.tools,
    ...askExtensions(run, (extension) => listOf('tools', extension.tools?.() ?? NO_TOOLS)),
    ownToolsOf(run),
  ]
  if (session.toolbox?.isOf(lists)) return session.toolbox
  session.toolbox = createToolbox(lists, run.allows, (name) => unlistedTool(session, name))
  for (const remark of session.toolbox.remarks) sayOnce(run, remark)
  return session.toolbox
}

/** Those of the loop itself. */
function ownToolsOf({ agentTool, handoffTool, taskTools }: RunContext): readonly Tool[] {
  if (!agentTool && !handoffTool) return taskTools
  return [...(agentTool ? [agentTool] : []), ...(handoffTool ? [handoffTool] : []), ...taskTools]
}

/** The first one that an extension has. */
function unlistedTool({ extensions }: RunContext['session'], name: string): Tool | undefined {
  for (const extension of extensions) {
    const tool = extension.tool?.(name)
    if (tool !== undefined) return tool
  }
  return undefined
}

const NO_TOOLS: readonly Tool[] = Object.freeze([])

/** What there is to say about the tools comes behind the event that tells that something begins. */
export function toolboxAfter(run: RunContext, begin: (toolbox: Toolbox) => void): Toolbox {
  const notices: (() => void)[] = []
  const toolbox = currentToolbox({ ...run, emit: (type, fields) => notices.push(() => run.emit(type, fields)) })
  begin(toolbox)
  for (const emit of notices) emit()
  return toolbox
}

/** What the model is sent in this turn. */
export function buildRequest(run: RunContext, toolbox: Toolbox): ModelRequest {
  const blocks = askExtensions(run, (extension) => contextOf(extension.context?.() ?? [])).flat()
  announce(run, blocks)
  const context = blocks.filter(({ place }) => place === 'turn').map(({ text }) => textBlock(text))
  const more: readonly Message[] =
    context.length === 0 ? [] : [Object.freeze({ role: 'user', content: Object.freeze(context) })]
  return {
    system: systemPrompt(run, blocks),
    messages: requestMessages(run.session, more),
    tools: toolbox.specs,
    ...(run.effort === undefined ? {} : { effort: run.effort }),
  }
}

/** Puts hook context that waits for a message into the conversation. */
export function sayPending(run: RunContext): void {
  if (run.session.pending.length > 0) addMessage(run.session, userMessage(run, []))
}

/** A message with all hook context that waits for one. */
export function userMessage({ session, emit }: RunContext, content: readonly ContentBlock[]): Message {
  const context = session.pending
  session.pending = []
  for (const { by, text } of context) emit('context', { by, place: 'turn', text })
  const blocks = [...content, ...context.map((each) => textBlock(each.task ? each.text : attributed(each)))]
  return Object.freeze({ role: 'user', content: Object.freeze(blocks) })
}

/** Made before the first turn of a session and never again: one changed byte would cost the whole prompt cache. */
function systemPrompt(run: RunContext, blocks: readonly ContextBlock[]): string {
  const { session } = run
  const parts = blocks.filter(({ place }) => place === 'system').map(({ text }) => text)
  const system = [session.prefix, session.instructions ?? '', ...parts].filter((part) => part !== '').join('\n\n')
  session.system ??= system
  if (session.system !== system)
    sayOnce(run, 'What belongs into the system prompt has changed; new sessions will see it.')
  return session.system
}

/** Says which blocks are new to the conversation. */
function announce(run: RunContext, blocks: readonly ContextBlock[]): void {
  const before = run.session.inEffect
  const now = new Set<string>()
  for (const { by, place, text } of blocks) {
    const key = JSON.stringify([by, place, text])
    now.add(key)
    if (!before.has(key)) run.emit('context', { by, place, text })
  }
  run.session.inEffect = now
}

/** One that fails costs itself only. */
function askExtensions<T>(run: RunContext, ask: (extension: RunContext['session']['extensions'][number]) => T): T[] {
  return run.session.extensions.flatMap((extension) => {
    try {
      return [ask(extension)]
    } catch (error) {
      sayOnce(run, `An extension failed and is left out: ${messageOf(error)}`)
      return []
    }
  })
}

function listOf<T>(what: string, value: readonly T[]): readonly T[] {
  if (Array.isArray(value)) return value
  whenRejected(value, () => {})
  throw new ExtError('agent-core.extension.answer', `its ${what} are no list`)
}

function contextOf(blocks: readonly ContextBlock[]): readonly ContextBlock[] {
  const isWhole = (block: unknown) =>
    isMap(block) &&
    ['by', 'text'].every((key) => typeof block[key] === 'string') &&
    PLACES.includes(String(block['place']))
  if (listOf('context blocks', blocks).every(isWhole)) return blocks
  throw new ExtError('agent-core.extension.answer', 'a context block needs by, place (system or turn) and text')
}

const PLACES: readonly string[] = ['system', 'turn']

export function sayOnce(run: RunContext, text: string): void {
  const { said } = run.session
  if (said.has(text)) return
  said.add(text)
  run.emit('notice', { text })
}
