import type { Message, ModelEffort, RunTerms, SessionRef, Tool } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import type { Steps } from '../durable.js'
import { createGrace } from '../grace.js'
import { fire, sayBlockIgnored, stoppedBy } from '../lifecycle.js'
import { converse } from '../loop.js'
import { toolboxAfter, userMessage } from '../prompt.js'
import { nothingDone, type RunContext, type RunEnd } from '../run-context.js'
import { openState } from '../session-state.js'
import { addMessage } from '../sessions/conversation.js'
import { giveUpTasks } from '../sessions/lost-tasks.js'
import { pickUp } from '../sessions/pick-up.js'
import { restoreState } from '../sessions/restore.js'
import { keepSpent, sumOf } from '../sessions/spent.js'
import { nothingSpent, type Spent, spend } from '../spending.js'
import { taskToolsFor } from '../tasks/tools.js'
import { endTerms } from '../terms.js'
import { startSpan } from '../trace.js'
import type { AgentDefinition } from './definition.js'
import { beginChildLog, childLog, endChildLog } from './log.js'
import type { AgentProfile } from './profile.js'
import { type Role, roleOf, sayRole } from './role.js'
import { loadSkills } from './skills.js'
import type { KeptChild } from './take-up.js'

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
  /** Besides what its definition says. */
  readonly profile?: AgentProfile | undefined
  /** Besides what its definition and its starter allow. */
  allows?(tool: Tool): boolean
  /** The budget of the run does not end it. Default false. */
  readonly guards?: boolean
  /** The task that it is. */
  readonly task?: string
  /** It goes on where its process was ended. */
  readonly kept?: KeptChild
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
  let child: Child | undefined
  try {
    child = childRun(parent, start, grace.signal)
    return await converseAsChild(parent, child, start)
  } finally {
    for (const text of endTerms(child?.run.session.extensions ?? [])) parent.emit('notice', { text })
    grace.release()
  }
}

async function converseAsChild(parent: RunContext, { run, role }: Child, start: ChildStart): Promise<ChildEnd> {
  const call = start.toolUseId === undefined ? {} : { tool_use_id: start.toolUseId }
  toolboxAfter(run, ({ specs }) => {
    run.emit('agent_start', { ...call, model: run.model.id, tools: specs.map(({ name }) => name) })
  })
  sayRole(run, start.definition, role)
  const turnsBefore = run.turns
  await beginChildLog(parent, run, start)
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
  await endChildLog(run, end, turnsBefore)
  // Behind its own log: what that says is counted as long as this one does not say it.
  keepSpent(parent, sumOf(start.kept?.restored.totals, used), start.id)
  return { end, text, used }
}

/** Why a sub-agent did not come to its natural end, in words for whoever waits for it. */
export function whyUnfinished(name: string, { end: { reason, notice } }: Pick<ChildEnd, 'end'>): string {
  return `The sub-agent ${name} did not finish (${reason}${notice ? `: ${notice.text}` : ''}).`
}

interface Child {
  readonly run: RunContext
  readonly role: Role
}

function childRun(parent: RunContext, start: ChildStart, grace: AbortSignal): Child {
  const { agent, session } = parent
  const { definition, id, origin } = start
  const role = roleOf(
    agent,
    { ...definition, ...(start.profile === undefined ? {} : { profile: start.profile }) },
    { mode: session.ref.permissionMode, profile: parent.profile },
  )
  const { name, maxTurns = agent.limits.maxTurns } = definition
  const ref: SessionRef = Object.freeze({
    ...session.ref,
    origin,
    permissionMode: role.mode,
    agent: Object.freeze({ id, type: name }),
  })
  const model = role.model ?? parent.model
  const emit: RunContext['emit'] = (type, fields) =>
    parent.emit(type, { agent_id: id, agent_type: name, ...fields } as typeof fields)
  const run: RunContext = {
    ...parent,
    id: start.runId,
    session: {
      ...openState(agent, ref, definition.prompt, childLog(parent, start, ref)),
      // It works on the same files, so what holds for them holds for it.
      instructions: session.instructions,
      tasks: session.tasks,
    },
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
    handoffTool: undefined,
    taskTools: [],
    profile: role.profile,
    allows: (tool) => isOf(parent, tool) && role.allows(tool) && (start.allows?.(tool) ?? true),
    guards: start.guards === true,
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
  if (start.kept) goOnFrom(run, start.kept)
  run.taskTools = taskToolsFor(run)
  run.agentTool = start.agentToolFor(run)
  return { run, role }
}

/** It is what it was, and what it has used counts for the run that goes on. */
function goOnFrom(run: RunContext, { restored, lost }: KeptChild): void {
  const { session } = run
  restoreState(session, restored)
  session.keptStates = JSON.stringify(restored.states)
  giveUpTasks(session, restored, lost)
  run.turns = restored.unfinished?.turns ?? 0
  spend(run.spent, restored.totals)
}

/** Whether the starter has this very tool: a tool of the same name from elsewhere is another one. */
function isOf({ session, agentTool }: RunContext, { name, source }: Tool): boolean {
  const own = session.toolbox?.find(name)
  if (name === agentTool?.name) return own === agentTool
  return own !== undefined && own.source.server === source.server && own.source.tool === source.tool
}

/** SubagentStart, then the order as the first message, unless it has had that already. */
async function open(run: RunContext, start: ChildStart): Promise<RunEnd | undefined> {
  const { session, signal } = run
  const { agent } = session.ref
  session.started = true
  const { restored, remarks = [] } = start.kept ?? {}
  for (const text of [...remarks, ...session.remarks.splice(0)]) run.emit('notice', { text })
  for (const lost of session.lostTasks.splice(0)) session.journal?.write('task_end', lost)
  // The beginning of the conversation may be there already.
  for (const message of start.conversation.slice(session.messages.length)) addMessage(session, message)
  const payload = () => ({ agent_id: agent?.id ?? '', agent_type: agent?.type ?? '' })
  const result = await fire(run, 'SubagentStart', payload, { signal, place: 'start' })
  sayBlockIgnored(run, result, 'a sub-agent can’t be refused; block the tool `agent` instead')
  session.pending.push(...result.context)
  if (result.stop) return stoppedBy(result.stop)
  if (restored && restored.totals.prompts > 0) return goOn(run)
  const { prompt, definition } = start
  run.emit('user', { text: prompt })
  session.promptAt = session.messages.length
  const skills = definition.skills ? await loadSkills(run, definition.skills) : []
  addMessage(session, userMessage(run, [textBlock(prompt), ...skills]), { prompt: true })
  return undefined
}

/** From where its process was ended: questions that were open are asked again. */
async function goOn(run: RunContext): Promise<RunEnd | undefined> {
  const { session } = run
  if (session.open) return pickUp(run, session.open, true)
  const last = session.messages.at(-1)
  if (last?.role !== 'assistant') return undefined
  run.text = last.text
  return { reason: 'done' }
}
