import { ExtError } from '@ext/kernel'
import type { Message, SessionEndReason } from '@ext/kernel/contract'
import { endState } from './end-session.js'
import { NOTHING } from './event-result.js'
import { createIdle, fireForHost } from './host-events.js'
import { frozenCopy } from './json.js'
import { messagesProblem } from './messages.js'
import type { RunTask } from './open-run.js'
import { type StartedRun, startRun } from './run.js'
import type { AgentContext } from './run-context.js'
import type { RunEvent } from './run-events.js'
import { forkSession, newSession, type OpenedSession, resumeSession } from './sessions/open.js'
import { tasksFor } from './tasks/host.js'
import type { AgentSession, Run, RunOptions } from './types.js'

/** What an agent knows of its sessions. */
export interface Sessions {
  /** Those that have begun or were taken up, which locks them for others, and have not ended. */
  readonly begun: Set<{ end(): Promise<readonly RunEvent[]> }>
  /** The ids of those that have a run under way. */
  readonly running: Set<string>
  closed: boolean
}

export function createSession(agent: AgentContext, opened: OpenedSession, sessions: Sessions): AgentSession {
  let { state, origin } = opened
  let running: StartedRun | undefined
  let changing: Promise<readonly RunEvent[]> | undefined
  let ended: Promise<readonly RunEvent[]> | undefined

  const checkFree = () => {
    if (sessions.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
    if (ended) throw new ExtError('agent-core.session.ended', 'The session has ended; open another one.')
    if (running || changing || sessions.running.has(state.ref.id)) {
      throw new ExtError(
        'agent-core.session.busy',
        'The session has a run under way, or another one of its id has; await its `result`.',
      )
    }
  }
  const start = (task: RunTask, options: Pick<RunOptions, 'signal' | 'durable'>): Run => {
    if (options.durable && agent.store) {
      const message = 'A durable run is kept by its engine, and the agent has a `store` as well; use one of them.'
      throw new ExtError('agent-core.session.durable', message)
    }
    const { id } = state.ref
    idle.end()
    sessions.begun.add(self)
    sessions.running.add(id)
    const started = startRun(agent, state, {
      task,
      origin,
      options,
      onEnd() {
        running = undefined
        sessions.running.delete(id)
        idle.begin()
      },
    })
    running = started
    return started.run
  }
  /** Ends the session and puts another one in its place, once that is there. */
  const change = async (reason: 'clear' | 'resume', open: () => OpenedSession | Promise<OpenedSession>) => {
    checkFree()
    idle.end()
    changing = (async () => {
      const next = await open()
      const events = await endState(agent, state, reason)
      ;({ state, origin } = next)
      sessions.begun.add(self)
      return events
    })()
    try {
      return await changing
    } finally {
      changing = undefined
    }
  }
  const self: AgentSession = {
    get id() {
      return state.ref.id
    },
    get permissionMode() {
      return state.ref.permissionMode
    },
    get agent() {
      return state.holder?.definition?.name
    },
    get messages() {
      return [...state.messages]
    },
    get totals() {
      return state.totals
    },
    tasks: tasksFor(agent, () => state),
    get isUnfinished() {
      const last = state.messages.at(-1)
      return state.open !== undefined || (last !== undefined && last.role !== 'assistant')
    },
    run(input, { expand, command, ...options } = {}) {
      checkFree()
      checkInput(input)
      const copied = typeof input === 'string' ? input : frozenCopy(input)
      return start(
        { kind: 'prompt', input: copied, ...(expand ? { expand } : {}), ...(command ? { command } : {}) },
        options,
      )
    },
    continue(options = {}) {
      checkFree()
      if (!self.isUnfinished) {
        throw new ExtError('agent-core.session.complete', 'The model has had the last word; run a prompt instead.')
      }
      return start({ kind: 'continue' }, options)
    },
    compact(options = {}) {
      checkFree()
      return start({ kind: 'compact' }, options)
    },
    clear: () =>
      change('clear', () => {
        const id = freshId(agent)
        return {
          state: newSession(agent, { ...state.ref, id, permissionMode: state.firstMode }),
          origin: { source: 'clear', fromSessionId: state.ref.id },
        }
      }),
    resume(id, options = {}) {
      return change('resume', () => resumeSession(agent, id, options))
    },
    fork() {
      checkFree()
      return createSession(agent, forkSession(agent, state, freshId(agent)), sessions)
    },
    async fire(event, payload, { signal = new AbortController().signal } = {}) {
      return ended || sessions.closed ? NOTHING : fireForHost(agent, state, event, payload, signal)
    },
    end(reason = 'other') {
      ended ??= endAll(reason)
      return ended
    },
  }

  const idle = createIdle(agent, self.fire)

  async function endAll(reason: SessionEndReason): Promise<readonly RunEvent[]> {
    idle.end()
    running?.abort(new ExtError('agent-core.session.ended', 'The session was ended.'))
    await running?.run.result
    await changing?.catch(() => {})
    const events = await endState(agent, state, reason)
    sessions.begun.delete(self)
    return events
  }
  if (origin.source === 'resume') sessions.begun.add(self)
  return self
}

function freshId(agent: AgentContext): string {
  const id = agent.newId()
  if (id === '') throw new ExtError('agent-core.session.id', 'The `id` of a session must not be empty.')
  return id
}

function checkInput(input: string | readonly Message[]): void {
  if (typeof input === 'string') return
  const problem = messagesProblem(input)
  if (problem !== undefined) throw new ExtError('agent-core.run.messages', `The messages can’t be used: ${problem}.`)
}
