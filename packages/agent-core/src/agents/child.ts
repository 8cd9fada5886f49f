import type { Message, PermissionMode, SessionRef, Tool } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import type { Durable } from '../durable.js'
import { fire, sayBlockIgnored, stoppedBy } from '../lifecycle.js'
import { converse } from '../loop.js'
import { currentToolbox, userMessage } from '../prompt.js'
import type { RunContext, RunEnd } from '../run-context.js'
import { openState } from '../session-state.js'
import { startSpan } from '../trace.js'
import type { AgentDefinition } from './definition.js'
import { mayUseTool } from './tool-list.js'

/** Strictest first. */
const MODES: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']

/** Who starts a sub-agent; it has no need of a way to start others. */
export type Parent = Omit<RunContext, 'agentTool'>

/** How a sub-agent is started. */
export interface ChildStart {
  readonly definition: AgentDefinition
  readonly prompt: string
  /** What comes before the prompt. */
  readonly conversation: readonly Message[]
  readonly origin: Exclude<SessionRef['origin'], 'main'>
  readonly id: string
  /** Start of the idempotency keys of its calls. */
  readonly runId: string
  readonly durable: Durable
  readonly signal: AbortSignal
  /** The call that started it. */
  readonly toolUseId?: string
  /** Besides what its definition and its starter allow. */
  allows?(tool: Tool): boolean
  /** The tool by which it starts others. */
  agentToolFor(run: Parent): Tool | undefined
}

/** What became of a sub-agent. */
export interface ChildEnd {
  readonly end: RunEnd
  readonly text: string
}

/**
 * Runs a sub-agent to its end: the same loop, the same hooks, the same gate, in a conversation of its own. Its events are
 * those of the run, with its id.
 */
export async function runChild(parent: Parent, start: ChildStart): Promise<ChildEnd> {
  const run = childRun(parent, start)
  const call = start.toolUseId === undefined ? {} : { tool_use_id: start.toolUseId }
  const { specs } = currentToolbox(run)
  run.emit('agent_start', { ...call, model: run.model.id, tools: specs.map(({ name }) => name) })
  const end = await converse(run, () => open(run, start))
  const { text, turns, used } = run
  run.span?.end(end.error?.kind)
  run.emit('agent_end', {
    ...call,
    reason: end.reason,
    text,
    usage: { inputTokens: used.inputTokens, outputTokens: used.outputTokens },
    ...(used.costUsd === undefined ? {} : { costUsd: used.costUsd }),
    turns,
    ...(end.error ? { error: end.error } : {}),
  })
  return { end, text }
}

/** Why a sub-agent did not come to its natural end, in words for whoever waits for it. */
export function whyUnfinished(name: string, { end: { reason, notice } }: ChildEnd): string {
  return `The sub-agent ${name} did not finish (${reason}${notice ? `: ${notice.text}` : ''}).`
}

function childRun(parent: Parent, start: ChildStart): RunContext {
  const { agent, session } = parent
  const { definition, id, origin } = start
  const { name, maxTurns = agent.limits.maxTurns } = definition
  const ref: SessionRef = {
    ...session.ref,
    origin,
    permissionMode: stricterMode(parent, definition),
    agent: { id, type: name },
  }
  const emit: RunContext['emit'] = (type, fields) =>
    parent.emit(type, { agent_id: id, agent_type: name, ...fields } as typeof fields)
  const run: Parent = {
    ...parent,
    id: start.runId,
    session: openState(agent, ref, definition.prompt),
    model: modelFor(parent, definition),
    maxTurns: Math.min(maxTurns, agent.limits.maxTurns),
    depth: parent.depth + 1,
    durable: start.durable,
    signal: start.signal,
    allows: (tool) =>
      parent.allows(tool) && mayUseTool(definition, tool, agent.toolTable) && (start.allows?.(tool) ?? true),
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
  return { ...run, agentTool: start.agentToolFor(run) }
}

/** SubagentStart, then the order as the first message. */
async function open(run: RunContext, { conversation, prompt }: ChildStart): Promise<RunEnd | undefined> {
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
