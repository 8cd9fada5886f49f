import type { Message, Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import { below } from '../durable.js'
import type { RunContext } from '../run-context.js'
import { runChild, whyUnfinished } from './child.js'
import { finished } from './shared.js'
import { agentTool, type ContextShare, type ToolOrder } from './tool.js'

/** The tool that starts sub-agents of this run; `undefined` where there are none or this is the deepest. */
export function agentToolFor(run: RunContext): Tool | undefined {
  const { agents, limits } = run.agent
  if (agents.size === 0 || run.depth >= limits.maxAgentDepth) return undefined
  return agentTool(agents, (order, context) => runAgent(run, order, context))
}

/** Runs a sub-agent in the call of the tool `agent`. */
async function runAgent(
  parent: RunContext,
  { definition, prompt, context }: ToolOrder,
  { callId, idempotencyKey }: ToolContext,
): Promise<ToolResult> {
  const place = `agent:${idempotencyKey.slice(parent.id.length + 1)}`
  const child = await runChild(parent, {
    definition,
    prompt,
    conversation: shared(parent.session, context),
    origin: 'agent',
    id: await parent.durable.step(`${place}:id`, async () => parent.agent.newId()),
    runId: idempotencyKey,
    durable: below(parent.durable, place),
    path: `${parent.path}${place}/`,
    signal: parent.signal,
    toolUseId: callId,
    agentToolFor,
  })
  if (child.end.reason === 'done') return { content: [textBlock(child.text)], isError: false }
  const why = whyUnfinished(definition.name, child)
  const text = child.text === '' ? why : `${why} Its last words: ${child.text}`
  return { content: [textBlock(text)], isError: true }
}

/** The part of the starter's conversation that a sub-agent sees. The turn that starts it is not over, so it is not in it. */
function shared({ messages, promptAt }: RunContext['session'], share: ContextShare): readonly Message[] {
  if (share === 'none') return []
  const over = finished(messages)
  return share === 'full' ? over : over.slice(promptAt)
}
