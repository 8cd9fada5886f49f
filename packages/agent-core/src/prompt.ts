import { messageOf } from '@ext/kernel'
import type { ContentBlock, Message, ModelRequest, Tool } from '@ext/kernel/contract'
import { textBlock } from './call/content.js'
import { createToolbox, type Toolbox } from './call/toolbox.js'
import { attributed } from './lifecycle.js'
import type { RunContext } from './run-context.js'
import type { ContextBlock } from './types.js'

/** The tools of this turn. The same toolbox as before as long as the sources give the same tools. */
export function currentToolbox(run: RunContext): Toolbox {
  const { agent, session, agentTool } = run
  const lists: readonly (readonly Tool[])[] = [
    agent.tools,
    ...askExtensions(run, (extension) => extension.tools?.() ?? NO_TOOLS),
    agentTool ? [agentTool] : NO_TOOLS,
  ]
  if (session.toolbox?.isOf(lists)) return session.toolbox
  session.toolbox = createToolbox(lists, run.allows)
  for (const name of session.toolbox.duplicates) {
    sayOnce(run, `Several tools are called ${name}; the first one is used.`)
  }
  return session.toolbox
}

const NO_TOOLS: readonly Tool[] = Object.freeze([])

/** What the model is sent in this turn. */
export function buildRequest(run: RunContext, toolbox: Toolbox): ModelRequest {
  const { messages } = run.session
  const blocks = askExtensions(run, (extension) => extension.context?.() ?? []).flat()
  announce(run, blocks)
  const context = blocks.filter(({ place }) => place === 'turn').map(({ text }) => textBlock(text))
  return {
    system: systemPrompt(run, blocks),
    messages: context.length === 0 ? [...messages] : [...messages, { role: 'user', content: context }],
    tools: toolbox.specs,
  }
}

/** Puts hook context that waits for a message into the conversation. */
export function sayPending(run: RunContext): void {
  if (run.session.pending.length > 0) run.session.messages.push(userMessage(run, []))
}

/** A message with all hook context that waits for one. */
export function userMessage({ session, emit }: RunContext, content: readonly ContentBlock[]): Message {
  const context = session.pending
  session.pending = []
  for (const { by, text } of context) emit('context', { by, place: 'turn', text })
  return { role: 'user', content: [...content, ...context.map((each) => textBlock(attributed(each)))] }
}

/** Made before the first turn of a session and never again: one changed byte would cost the whole prompt cache. */
function systemPrompt(run: RunContext, blocks: readonly ContextBlock[]): string {
  const { session } = run
  const parts = blocks.filter(({ place }) => place === 'system').map(({ text }) => text)
  const system = [session.prefix, ...parts].filter((part) => part !== '').join('\n\n')
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

function sayOnce(run: RunContext, text: string): void {
  const { said } = run.session
  if (said.has(text)) return
  said.add(text)
  run.emit('notice', { text })
}
