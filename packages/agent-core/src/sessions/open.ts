import { ExtError } from '@ext/kernel'
import type { PermissionMode, SessionRef } from '@ext/kernel/contract'
import { type Holder, keptHolder, restoredHolder, seat } from '../agents/handoff/holder.js'
import { isStricter } from '../agents/modes.js'
import { textBlock } from '../call/content.js'
import { placeOf } from '../host-ports.js'
import { frozenCopy } from '../json.js'
import type { SessionOrigin } from '../open-run.js'
import type { AgentContext, SessionState } from '../run-context.js'
import { NO_TOTALS, openState } from '../session-state.js'
import type { Task } from '../tasks/tasks.js'
import type { ResumeOptions } from '../types.js'
import { addMessage, addResults } from './conversation.js'
import { createJournal, type Journal } from './journal.js'
import { LOG_VERSION } from './log.js'
import { giveUpTasks, leaveTasks, lostTasks } from './lost-tasks.js'
import { givenUpText } from './pick-up.js'
import { readKept, restoreExtensions, restoreState, statesOf } from './restore.js'
import type { Restored } from './restored.js'
import type { KeptSession, SessionStore } from './store.js'

/** A session that can be run, and what it was before. */
export interface OpenedSession {
  readonly state: SessionState
  readonly origin: SessionOrigin
}

/** What is not taken from a session that goes on. */
type Identity = Omit<SessionRef, 'origin' | 'agent' | 'transcriptPath'>

export function newSession(agent: AgentContext, identity: Identity, from?: string): SessionState {
  const ref = refOf(agent, identity)
  const journal = agent.store && newJournal(agent, agent.store, ref, from)
  return openState(agent, ref, agent.system, { id: ref.id, journal })
}

function refOf(agent: AgentContext, identity: Identity, place = placeOf(agent, identity.id, identity.cwd)): SessionRef {
  const { id, cwd, permissionMode, user } = identity
  return Object.freeze({
    id,
    cwd,
    origin: 'main',
    permissionMode,
    ...(user === undefined ? {} : { user }),
    ...(place === undefined ? {} : { transcriptPath: place }),
  })
}

function newJournal(agent: AgentContext, store: SessionStore, ref: SessionRef, from?: string): Journal {
  const { clock } = agent
  const header = () =>
    ({
      type: 'session',
      version: LOG_VERSION,
      id: ref.id,
      at: new Date(clock.now()).toISOString(),
      cwd: ref.cwd,
      permissionMode: ref.permissionMode,
      ...(ref.user === undefined ? {} : { user: ref.user }),
      ...(from === undefined ? {} : { from }),
    }) as const
  return createJournal(clock, { store, header })
}

/** Takes a session up that was kept, or makes a copy of it. Rejects as the store does. */
export async function resumeSession(agent: AgentContext, id: string, options: ResumeOptions): Promise<OpenedSession> {
  const store = storeOf(agent)
  if (options.fork) {
    const kept = await store.read(id)
    refuseSubAgent(kept)
    const { restored, remarks } = readKept(kept)
    const { header } = kept
    const identity = identityOf(agent.newId(), { ...restored, user: header.user }, options)
    const holder = holderFrom(agent, restored, options)
    const state = newSession(agent, identity, id)
    restoreState(state, restored)
    if (holder) seat(agent, state, holder)
    state.remarks.push(...remarks, ...modeRemark(restored.permissionMode, options))
    return asCopy(
      state,
      id,
      restored.lastTask,
      [...restored.tasks].map(([task, { subject }]) => ({ id: task, subject })),
    )
  }
  const kept = await store.open(id)
  try {
    refuseSubAgent(kept)
    const { restored, remarks } = readKept(kept)
    const identity = identityOf(id, { ...restored, user: kept.header.user }, options)
    const holder = holderFrom(agent, restored, options)
    const lost = await lostTasks(agent, id, restored)
    const journal = createJournal(agent.clock, { writer: kept.writer, version: kept.header.version })
    const state = openState(agent, refOf(agent, identity, kept.place), agent.system, { id, journal })
    restoreState(state, restored)
    if (holder) seat(agent, state, holder)
    state.keptStates = JSON.stringify(restored.states)
    giveUpTasks(state, restored, lost)
    state.remarks.push(...remarks, ...modeRemark(restored.permissionMode, options))
    return { state, origin: { source: 'resume' } }
  } catch (error) {
    await kept.writer.close()
    throw error
  }
}

/** Who goes on with a session that was handed over. Throws if there is no such agent any more, and nobody says who else. */
function holderFrom(
  agent: AgentContext,
  { holder, permissionMode }: Restored,
  { permissionMode: wanted, handBack }: ResumeOptions,
): Holder | undefined {
  if (!holder) return undefined
  if (!handBack) return restoredHolder(agent, holder, wanted)
  return restoredHolder(agent, { permissionMode, profile: undefined, since: 0 }, wanted)
}

/** Its prompt, tools and mode are those of a sub-agent, and a session of its own would have others. */
function refuseSubAgent({ header: { id, parent } }: KeptSession): void {
  if (!parent) return
  const message = `${id} is the log of the sub-agent ${parent.name} of ${parent.session}, and no session of its own. Resume that one.`
  throw new ExtError('agent-core.session.sub-agent', message)
}

function storeOf({ store }: AgentContext): SessionStore {
  if (store) return store
  const message = 'The agent has no `store`, so no session was kept that could be resumed.'
  throw new ExtError('agent-core.session.no-store', message)
}

function identityOf(
  id: string,
  kept: { readonly cwd: string; readonly permissionMode: PermissionMode; readonly user: string | undefined },
  { cwd = kept.cwd, permissionMode = kept.permissionMode, user = kept.user }: ResumeOptions,
): Identity {
  return { id, cwd, permissionMode, ...(user === undefined ? {} : { user }) }
}

/** Whoever resumes a session may have forgotten that nobody is asked in it. */
function modeRemark(mode: PermissionMode, { permissionMode }: ResumeOptions): readonly string[] {
  if (permissionMode !== undefined || !isStricter('default', mode)) return []
  return [`The session goes on in the permission mode that it was kept in: ${mode}.`]
}

/** A session of its own that begins with what another one holds. That one goes on, and what it keeps stays its own. */
export function forkSession(agent: AgentContext, from: SessionState, newId: string): OpenedSession {
  const { id, ...same } = from.ref
  const state = newSession(agent, { ...same, id: newId, permissionMode: from.firstMode }, id)
  state.messages.push(...from.messages)
  state.promptAt = from.promptAt
  state.pending = [...from.pending]
  state.measured = from.measured
  state.open = from.open
  state.handingOver = from.handingOver
  if (from.holder) seat(agent, state, { ...from.holder, since: 0 })
  restoreExtensions(state, frozenCopy(statesOf(from, (text) => state.remarks.push(text))))
  const running = from.tasks.of(from).filter((task) => task.state === 'running')
  return asCopy(state, id, from.tasks.last, running)
}

/** The log of a copy begins with the conversation. What was under way in the other session is its own affair. */
function asCopy(
  state: SessionState,
  from: string,
  lastTask: number,
  tasks: readonly Pick<Task, 'id' | 'subject'>[],
): OpenedSession {
  const { open, messages, handingOver } = state
  state.tasks.goOnFromCopy(lastTask)
  leaveTasks(state, from, tasks)
  state.open = undefined
  state.unfinished = undefined
  state.totals = NO_TOTALS
  if (open) {
    const why = 'this conversation is a copy'
    addResults(
      { messages },
      open.calls.map(
        (call) =>
          open.results.get(call.id) ??
          Object.freeze({
            callId: call.id,
            name: call.name,
            isError: true,
            content: Object.freeze([textBlock(givenUpText(open, call, why))]),
          }),
      ),
    )
  }
  for (const [index, message] of messages.splice(0).entries()) {
    addMessage(state, message, index === state.promptAt && message.role === 'user' ? { prompt: true } : {})
  }
  if (state.holder) state.journal?.write('agent', keptHolder(state))
  if (handingOver) state.journal?.write('handoff', handingOver)
  state.handingOver = handingOver
  return { state, origin: { source: 'fork', fromSessionId: from } }
}
