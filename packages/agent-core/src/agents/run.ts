import type { Message, Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import { below } from '../durable.js'
import type { RunContext } from '../run-context.js'
import { interruptedText } from '../sessions/pick-up.js'
import { isKept, keepSpent } from '../sessions/spent.js'
import { spend } from '../spending.js'
import { oneLine, startResult } from '../tasks/result.js'
import { agentBehind } from './behind.js'
import { type ChildEnd, runChild, whyUnfinished } from './child.js'
import { finished } from './shared.js'
import { lastWords, takeUp } from './take-up.js'
import { agentTool, type ContextShare, type ToolOrder } from './tool.js'

/** The tool that starts sub-agents of this run; `undefined` where there are none or this is the deepest. */
export function agentToolFor(run: RunContext): Tool | undefined {
  const { agents, limits } = run.agent
  if (agents.size === 0 || run.depth >= limits.maxAgentDepth) return undefined
  return agentTool(agents, run.taskTools.length > 0, (order, context) => runAgent(run, order, context))
}

/** Runs a sub-agent in the call of the tool `agent`. */
async function runAgent(
  parent: RunContext,
  { definition, prompt, context, profile, background }: ToolOrder,
  { callId, idempotencyKey, background: goOn }: ToolContext,
): Promise<ToolResult> {
  if ((background || definition.background) && goOn) {
    const { newId } = parent.agent
    const conversation = shared(parent.session, context)
    const start = { definition, prompt, conversation, id: newId(), toolUseId: callId, agentToolFor, profile }
    const subject = `${definition.name}: ${oneLine(prompt)}`
    return startResult(await goOn({ kind: 'agent', subject, run: agentBehind(parent, start) }))
  }
  const place = `agent:${idempotencyKey.slice(parent.id.length + 1)}`
  const before = parent.session.open?.agents.get(callId)
  const { kept, problem } = before ? await takeUp(parent, before, callId) : {}
  if (before && problem !== undefined) {
    const text = `${interruptedText({ name: 'agent' }, before)} It can’t be taken up again: ${problem}`
    return { content: [textBlock(text)], isError: true }
  }
  if (kept?.restored.ended !== undefined) {
    await kept.writer.close()
    const { ended, totals } = kept.restored
    const { agent } = before ?? {}
    // Its process may have been ended before it could say so.
    if (agent === undefined || !isKept(parent, agent)) {
      spend(parent.spent, totals)
      keepSpent(parent, totals, agent)
    }
    return resultOf(definition.name, { end: { reason: ended }, text: lastWords(kept.restored) })
  }
  if (kept) {
    const text = `The sub-agent ${definition.name} goes on where it was when the program was ended.`
    parent.emit('notice', { text })
  }
  const child = await runChild(parent, {
    definition,
    prompt,
    conversation: shared(parent.session, context),
    origin: 'agent',
    id: before?.agent ?? (await parent.durable.step(`${place}:id`, async () => parent.agent.newId())),
    ...(kept ? { kept } : {}),
    runId: idempotencyKey,
    durable: below(parent.durable, place),
    path: `${parent.path}${place}/`,
    signal: parent.signal,
    toolUseId: callId,
    agentToolFor,
    profile,
  })
  return resultOf(definition.name, child)
}

function resultOf(name: string, child: Pick<ChildEnd, 'end' | 'text'>): ToolResult {
  if (child.end.reason === 'done') return { content: [textBlock(child.text)], isError: false }
  const why = whyUnfinished(name, child)
  const text = child.text === '' ? why : `${why} Its last words: ${child.text}`
  return { content: [textBlock(text)], isError: true }
}

/** The part of the starter's conversation that a sub-agent sees. The turn that starts it is not over, so it is not in it. */
function shared({ messages, promptAt }: RunContext['session'], share: ContextShare): readonly Message[] {
  if (share === 'none') return []
  const over = finished(messages)
  return share === 'full' ? over : over.slice(promptAt)
}
