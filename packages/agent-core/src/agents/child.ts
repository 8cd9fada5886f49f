import type { Message, ModelEffort, PermissionMode, RunTerms, SessionRef, Tool } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import type { Steps } from '../durable.js'
import { createGrace } from '../grace.js'
import { fire, sayBlockIgnored, stoppedBy } from '../lifecycle.js'
import { converse } from '../loop.js'
import { toolboxAfter, userMessage } from '../prompt.js'
import { nothingDone, type RunContext, type RunEnd } from '../run-context.js'
import { openState } from '../session-state.js'
import { nothingSpent, type Spent } from '../spending.js'
import { endTerms } from '../terms.js'
import { startSpan } from '../trace.js'
import type { Model } from '../types.js'
import type { AgentDefinition } from './definition.js'
import { isStricter } from './modes.js'
import { mayUseTool } from './tool-list.js'

/**
 * How long the end of a sub-agent may take once it is aborted: a part of the time of whoever started it, who has an end of
 * its own to tell.
 */
const GRACE_MS = 100

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
  readonly durable: Steps
  /** Of its own place, with `/` behind it. */
  readonly path: string
  readonly signal: AbortSignal
  /** The call that started it. */
  readonly toolUseId?: string
  /** What holds for its calls besides what holds for those of its starter. */
  readonly terms?: readonly RunTerms[]
  readonly effort?: ModelEffort
  /** Besides what its definition and its starter allow. */
  allows?(tool: Tool): boolean
  /** The tool by which it starts others. */
  agentToolFor(run: RunContext): Tool | undefined
}

/** What became of a sub-agent. */
export interface ChildEnd {
  readonly end: RunEnd
  readonly text: string
  readonly used: Spent
}

/**
 * Runs a sub-agent to its end: the same loop, the same hooks, the same gate, in a conversation of its own. Its events are
 * those of the run, with its id.
 */
export async function runChild(parent: RunContext, start: ChildStart): Promise<ChildEnd> {
  const grace = createGrace(parent.agent.clock, GRACE_MS, start.signal, parent.grace)
  let run: RunContext | undefined
  try {
    run = childRun(parent, start, grace.signal)
    return await converseAsChild(run, start)
  } finally {
    for (const text of endTerms(run?.session.extensions ?? [])) parent.emit('notice', { text })
    grace.release()
  }
}

async function converseAsChild(run: RunContext, start: ChildStart): Promise<ChildEnd> {
  const call = start.toolUseId === undefined ? {} : { tool_use_id: start.toolUseId }
  toolboxAfter(run, ({ specs }) => {
    run.emit('agent_start', { ...call, model: run.model.id, tools: specs.map(({ name }) => name) })
  })
  sayModel(run, start.definition)
  sayMode(run, start.definition)
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
  return { end, text, used }
}

/** Why a sub-agent did not come to its natural end, in words for whoever waits for it. */
export function whyUnfinished(name: string, { end: { reason, notice } }: ChildEnd): string {
  return `The sub-agent ${name} did not finish (${reason}${notice ? `: ${notice.text}` : ''}).`
}

function childRun(parent: RunContext, start: ChildStart, grace: AbortSignal): RunContext {
  const { agent, session } = parent
  const { definition, id, origin } = start
  const { name, maxTurns = agent.limits.maxTurns } = definition
  const ref: SessionRef = Object.freeze({
    ...session.ref,
    origin,
    permissionMode: modeFor(session.ref.permissionMode, definition),
    agent: Object.freeze({ id, type: name }),
  })
  const model = modelFor(parent, definition) ?? parent.model
  const emit: RunContext['emit'] = (type, fields) =>
    parent.emit(type, { agent_id: id, agent_type: name, ...fields } as typeof fields)
  const run: RunContext = {
    ...parent,
    id: start.runId,
    session: openState(agent, ref, definition.prompt),
    ownModel: model,
    model,
    ownEffort: start.effort ?? parent.effort,
    effort: undefined,
    parent,
    given: start.terms ?? [],
    maxTurns: Math.min(maxTurns, agent.limits.maxTurns),
    depth: parent.depth + 1,
    path: start.path,
    durable: start.durable,
    signal: start.signal,
    grace,
    agentTool: undefined,
    allows: (tool) =>
      isOf(parent, tool) && mayUseTool(definition, tool, agent.toolTable) && (start.allows?.(tool) ?? true),
    unclaimed: nothingSpent(),
    used: nothingSpent(),
    span: startSpan(parent, `invoke_agent ${name}`, parent.span, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      'gen_ai.agent.id': id,
    }),
    ...nothingDone(),
    emit,
  }
  run.agentTool = start.agentToolFor(run)
  return run
}

/** Whether the starter has this very tool: a tool of the same name from elsewhere is another one. */
function isOf({ session, agentTool }: RunContext, { name, source }: Tool): boolean {
  const own = session.toolbox?.find(name)
  if (name === agentTool?.name) return own === agentTool
  return own !== undefined && own.source.server === source.server && own.source.tool === source.tool
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
  session.promptAt = session.messages.length
  session.messages.push(userMessage(run, [textBlock(prompt)]))
  return undefined
}

function modelFor({ agent }: Pick<RunContext, 'agent'>, { model }: AgentDefinition): Model | undefined {
  return model === undefined || model === 'inherit' ? undefined : agent.models(model)
}

function sayModel(run: RunContext, definition: AgentDefinition): void {
  const { name, model } = definition
  if (model === undefined || model === 'inherit' || modelFor(run, definition)) return
  run.emit('notice', {
    text: `The sub-agent ${name} wants the model ${model}, which is not known; ${run.model.id} is used.`,
  })
}

/** A definition can make the mode stricter, never looser. */
function modeFor(mode: PermissionMode, { permissionMode: wanted }: AgentDefinition): PermissionMode {
  return wanted !== undefined && isStricter(wanted, mode) ? wanted : mode
}

function sayMode({ session, emit }: RunContext, { name, permissionMode: wanted }: AgentDefinition): void {
  const mode = session.ref.permissionMode
  if (wanted === undefined || wanted === mode) return
  emit('notice', {
    text: `The sub-agent ${name} wants the mode ${wanted}, which is not stricter than ${mode}; it keeps ${mode}.`,
  })
}
