import type { Message, PermissionMode, SessionRef, Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import { below } from '../durable.js'
import { fire, sayBlockIgnored, stoppedBy } from '../lifecycle.js'
import { converse } from '../loop.js'
import { currentToolbox, userMessage } from '../prompt.js'
import type { RunContext, RunEnd } from '../run-context.js'
import { openState } from '../session-state.js'
import { startSpan } from '../trace.js'
import type { AgentDefinition } from './definition.js'
import { type AgentOrder, agentTool, type ContextShare } from './tool.js'
import { mayUseTool } from './tool-list.js'

/** Strictest first. */
const MODES: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']

/** The tool that starts sub-agents of this run; `undefined` where there are none or this is the deepest. */
export function agentToolFor(run: Omit<RunContext, 'agentTool'>): Tool | undefined {
  const { agents, limits } = run.agent
  if (agents.size === 0 || run.depth >= limits.maxAgentDepth) return undefined
  return agentTool(agents, (order, context) => runAgent(run, order, context))
}

/**
 * Runs a sub-agent in the call of the tool `agent`: the same loop, the same hooks, the same gate, in a conversation of its
 * own. Its events are those of the run, with its id.
 */
async function runAgent(
  parent: Omit<RunContext, 'agentTool'>,
  { definition, prompt, context }: AgentOrder,
  { callId, idempotencyKey }: ToolContext,
): Promise<ToolResult> {
  const place = `agent:${idempotencyKey.slice(parent.id.length + 1)}`
  const id = await parent.durable.step(`${place}:id`, async () => parent.agent.newId())
  const run = childRun(parent, definition, { id, place, idempotencyKey })
  const toolbox = currentToolbox(run)
  run.emit('agent_start', {
    tool_use_id: callId,
    model: run.model.id,
    tools: toolbox.specs.map(({ name }) => name),
  })
  const end = await converse(run, () => open(run, [...shared(parent.session.messages, context)], prompt))
  const { text, turns, used } = run
  run.span?.end(end.error?.kind)
  run.emit('agent_end', {
    tool_use_id: callId,
    reason: end.reason,
    text,
    usage: { inputTokens: used.inputTokens, outputTokens: used.outputTokens },
    ...(used.costUsd === undefined ? {} : { costUsd: used.costUsd }),
    turns,
    ...(end.error ? { error: end.error } : {}),
  })
  if (end.reason === 'done') return { content: [textBlock(text)], isError: false }
  const why = `The sub-agent ${definition.name} did not finish (${end.reason}${end.notice ? `: ${end.notice.text}` : ''}).`
  return { content: [textBlock(text === '' ? why : `${why} Its last words: ${text}`)], isError: true }
}

function childRun(
  parent: Omit<RunContext, 'agentTool'>,
  definition: AgentDefinition,
  { id, place, idempotencyKey }: { readonly id: string; readonly place: string; readonly idempotencyKey: string },
): RunContext {
  const { agent, session, limits } = { ...parent, limits: parent.agent.limits }
  const { name, maxTurns = limits.maxTurns } = definition
  const ref: SessionRef = {
    ...session.ref,
    origin: 'agent',
    permissionMode: stricterMode(parent, definition),
    agent: { id, type: name },
  }
  const emit: RunContext['emit'] = (type, fields) =>
    parent.emit(type, { agent_id: id, agent_type: name, ...fields } as typeof fields)
  const run: Omit<RunContext, 'agentTool'> = {
    ...parent,
    id: idempotencyKey,
    session: openState(agent, ref, definition.prompt),
    model: modelFor(parent, definition),
    maxTurns: Math.min(maxTurns, limits.maxTurns),
    depth: parent.depth + 1,
    durable: below(parent.durable, place),
    allows: (tool) => parent.allows(tool) && mayUseTool(definition, tool, agent.toolTable),
    span: startSpan(parent, `invoke_agent ${name}`, parent.span, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      'gen_ai.agent.id': id,
    }),
    used: { inputTokens: 0, outputTokens: 0, costUsd: undefined },
    turns: 0,
    text: '',
    stopBlocks: 0,
    unknownInARow: 0,
    repeated: { call: '', times: 0 },
    emit,
  }
  return { ...run, agentTool: agentToolFor(run) }
}

/** SubagentStart, then the order as the first message. */
async function open(run: RunContext, conversation: readonly Message[], prompt: string): Promise<RunEnd | undefined> {
  const { session, signal } = run
  const { agent } = session.ref
  session.started = true
  session.messages.push(...conversation)
  const payload = () => ({ agent_id: agent?.id ?? '', agent_type: agent?.type ?? '' })
  const result = await fire(run, 'SubagentStart', payload, { signal, place: 'start' })
  sayBlockIgnored(run, result, 'a sub-agent can’t be refused; block the tool `agent` instead')
  session.pending.push(...result.context)
  if (result.stop) return stoppedBy(result.stop)
  run.emit('user', { text: prompt })
  session.messages.push(userMessage(run, [textBlock(prompt)]))
  return undefined
}

/** The part of the starter's conversation that a sub-agent sees. The turn that starts it is not over, so it is not in it. */
function shared(messages: readonly Message[], share: ContextShare): readonly Message[] {
  if (share === 'none') return []
  const over = messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages
  if (share === 'full') return over
  const newest = over.findLastIndex(({ role }) => role === 'user')
  return over.slice(Math.max(newest, 0))
}

function modelFor(run: Pick<RunContext, 'agent' | 'model' | 'emit'>, { name, model }: AgentDefinition) {
  if (model === undefined || model === 'inherit') return run.model
  const found = run.agent.models(model)
  if (found) return found
  run.emit('notice', {
    text: `The sub-agent ${name} wants the model ${model}, which is not known; ${run.model.id} is used.`,
  })
  return run.model
}

/** A definition can make the mode stricter, never looser. */
function stricterMode(
  run: Pick<RunContext, 'session' | 'emit'>,
  { name, permissionMode }: AgentDefinition,
): PermissionMode {
  const mode = run.session.ref.permissionMode
  if (permissionMode === undefined || permissionMode === mode) return mode
  if (MODES.indexOf(permissionMode) < MODES.indexOf(mode)) return permissionMode
  run.emit('notice', {
    text: `The sub-agent ${name} wants the mode ${permissionMode}, which is looser than ${mode}; it keeps ${mode}.`,
  })
  return mode
}
