import type { Agent } from '@ext/agent-core'
import type { AgentSession, Run, RunEvent, RunOptions, SessionStore } from '@ext/agent-core/types'
import { ExtError } from '@ext/kernel'
import { openSession, type SessionChoice } from '../commands/run-session.js'
import type { Extensions } from '../compose.js'
import type { ChosenModel } from '../models/models.js'
import { count } from '../render/words.js'

/** After that hooks may fetch the person back. As Claude Code does. */
const IDLE_MS = 60_000

type Usable = Extract<ChosenModel, { readonly model: unknown }>

/** What a prompt becomes that begins with the name of a skill, or of a prompt of a server. */
export interface PromptBegin {
  readonly command: NonNullable<RunOptions['command']>
  readonly expand: RunOptions['expand'] | undefined
}

/** The conversation of an interactive session: one at a time, with a model that can be another one later. */
export interface Talk {
  readonly session: AgentSession
  readonly model: string
  /** Runs a prompt to its end. @param start what it starts, if it begins with a name */
  run(prompt: string, start?: PromptBegin): Promise<void>
  /** Goes on where it was ended. */
  continue(): Promise<void>
  compact(): Promise<void>
  clear(): Promise<void>
  /** Takes another session up; rejects if that can't be, and this one goes on. */
  resume(id: string): Promise<void>
  /**
   * The same conversation with another model from now on; a new one if nothing is kept.
   * @returns what of it is lost, as a sentence
   */
  useModel(chosen: Usable): Promise<string | undefined>
  close(): Promise<void>
}

export interface TalkOptions {
  readonly extensions: Extensions
  readonly choice: SessionChoice
  readonly store: SessionStore | undefined
  readonly maxTurns?: number
  show(event: RunEvent): void
  /** Something is under way, and this ends it; nothing is, without an argument. */
  working(interrupt?: () => void): void
}

/** @param id of the session that goes on; without it a new one begins */
export async function beginTalk(
  chosen: Usable,
  id: string | undefined,
  options: TalkOptions,
): Promise<Talk | { readonly problem: string }> {
  const { extensions, choice, store, maxTurns, show, working } = options
  const open = async (model: Usable, from: string | undefined, how: SessionChoice) => {
    const limits = maxTurns === undefined ? {} : { maxTurns }
    const agent = await extensions.createAgent(model, { ...limits, idleMs: IDLE_MS, ...(store ? { store } : {}) })
    const opened = await openSession(agent, from, how, extensions)
    if (opened.session) extensions.attach(opened.session)
    return { agent, ...opened }
  }
  const first = await open(chosen, id, choice)
  if (first.session === undefined) return { problem: first.problem }
  let current: { readonly agent: Agent; readonly session: AgentSession } = first
  let model = chosen.model.id

  const play = async (start: (signal: AbortSignal) => Run): Promise<void> => {
    const abort = new AbortController()
    working(() => abort.abort(new ExtError('cli.interrupted', 'The person has interrupted it.')))
    try {
      for await (const event of start(abort.signal)) show(event)
    } finally {
      working()
    }
  }
  const tell = (events: readonly RunEvent[]) => {
    for (const event of events) show(event)
  }
  return {
    get session() {
      return current.session
    },
    get model() {
      return model
    },
    run(prompt, start) {
      const begins = start && { command: start.command, ...(start.expand ? { expand: start.expand } : {}) }
      return play((signal) => current.session.run(prompt, { signal, ...begins }))
    },
    continue: () => play((signal) => current.session.continue({ signal })),
    compact: () => play((signal) => current.session.compact({ signal })),
    clear: async () => tell(await current.session.clear()),
    resume: async (wanted) => tell(await current.session.resume(wanted)),
    async useModel(next) {
      const { session, agent } = current
      const goesOn = store !== undefined && session.messages.length > 0
      const { permissionMode, messages } = session
      tell(await agent.close())
      if (goesOn) extensions.goesOn(session.id)
      // In the mode that it has now, whatever the command line said of the session with which all began.
      const kept = goesOn ? await open(next, session.id, { save: true, permissionMode }) : undefined
      const opened = kept?.session ? kept : await open(next, undefined, choice)
      if (opened.session === undefined) throw new ExtError('cli.session', opened.problem)
      current = opened
      model = next.model.id
      if (kept?.problem !== undefined) return `${kept.problem} So a new conversation begins; /resume shows the others.`
      const lost = goesOn ? messages.length - opened.session.messages.length : 0
      return lost > 0
        ? `The newest ${count(lost, 'message')} could not be kept, so the conversation goes on without.`
        : undefined
    },
    close: async () => tell(await current.agent.close()),
  }
}
