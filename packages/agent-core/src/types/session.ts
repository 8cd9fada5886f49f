import type {
  Attributed,
  EventResult,
  ExpansionPayload,
  LifecyclePayloads,
  Message,
  PermissionMode,
  SessionEndReason,
} from '@ext/kernel/contract'
import type { Durable } from '../durable.js'
import type { RunEvent, RunResult } from '../run-events.js'
import type { SessionTotals } from '../sessions/restored.js'
import type { Agent } from './agent.js'
import type { SessionTasks } from './tasks.js'

export interface SessionOptions {
  /** Default: made by `ids`. */
  readonly id?: string
  /** Absolute path in which tools work. */
  readonly cwd: string
  /** Default `default`. */
  readonly permissionMode?: PermissionMode
  readonly user?: string
}

export interface ResumeOptions extends Partial<Omit<SessionOptions, 'id'>> {
  /** Leave the session as it is and go on with a copy of it, which has an id of its own. Default false. */
  readonly fork?: boolean
  /**
   * Give the conversation back to the agent with which it began, in the mode of the session, where it was handed over.
   * Default false: the agent that had it goes on, and if there is none of its name any more, the promise rejects with
   * `agent-core.session.agent`.
   */
  readonly handBack?: boolean
}

/** One conversation. Nothing in it is shared with other sessions of the agent. */
export interface AgentSession {
  /** Another one after {@link clear} and {@link resume}. */
  readonly id: string
  /** Of the conversation that goes on. */
  readonly permissionMode: PermissionMode
  /** Name of the agent to which the conversation was handed over; `undefined` for the one with which it began. */
  readonly agent: string | undefined
  /** A copy of the conversation so far; its messages are frozen. */
  readonly messages: readonly Message[]
  /** What it has used so far, in earlier processes as well. */
  readonly totals: SessionTotals
  /** What runs and ran in its background. */
  readonly tasks: SessionTasks
  /** Whether {@link continue} has something to do: the model has not had the last word. */
  readonly isUnfinished: boolean
  /**
   * Starts a run at once, whether or not anybody iterates it. One at a time: throws `agent-core.session.busy` while
   * another runs, in this session or another one of the same id, `agent-core.session.ended` after {@link end}, and
   * `agent-core.closed` after the agent was closed.
   * @param input a prompt, or messages that go behind the conversation so far and are copied at once: the last one is the
   *   prompt or holds results, and every call in them has its result, else it throws `agent-core.run.messages`. Calls that
   *   an ended process has left open are given up.
   */
  run(input: string | readonly Message[], options?: RunOptions): Run
  /**
   * Goes on without a prompt where a run ended before the model had the last word, as it does when its process was ended. A
   * call that had begun is not done again: the model is told that it may have taken effect. Calls that had not begun go
   * their way with the idempotency keys that they had, and a question that was open is asked again. Throws
   * `agent-core.session.complete` if there is nothing to go on with, and as {@link run} does.
   */
  continue(options?: Pick<RunOptions, 'signal' | 'durable'>): Run
  /**
   * Makes the conversation shorter: a run without turns, that ends with `done`, or with `stopped` if a hook refused it or
   * there was nothing to be done. Throws as {@link run} does.
   */
  compact(options?: Pick<RunOptions, 'signal' | 'durable'>): Run
  /**
   * Ends the session and begins another one in its place: a new id, an empty conversation, and no trace of what hooks,
   * gate and extensions kept for it; connections stay. Rejects with `agent-core.session.busy` during a run, with
   * `agent-core.session.id` if `ids` gives an empty one, and as {@link run} throws after an end.
   * @returns as {@link end} does
   */
  clear(): Promise<readonly RunEvent[]>
  /**
   * Ends the session and takes another one up in its place. If that can't be done, it rejects as {@link Agent.resume}, and
   * this session goes on.
   * @returns as {@link end} does
   */
  resume(id: string, options?: ResumeOptions): Promise<readonly RunEvent[]>
  /** Begins another session with a copy of this one, which goes on. Throws as {@link run} does. */
  fork(): AgentSession
  /**
   * Tells the hooks of the session what happens outside of the loop, and gives their answer; what it means is up to whoever
   * asks. What they did is told as events of the run that is under way, else of the next one or of the end. A hook that ends
   * the run (`continue: false`) ends the one under way before its next turn. Hooks that fail, or take longer than
   * `limits.hooksTimeoutMs`, are said and have no answer; so has a session that has ended. Rejects only when `signal` aborts.
   * @param payload called only when a hook listens
   */
  fire<E extends HostEvent>(
    event: E,
    payload: () => LifecyclePayloads[E],
    options?: { readonly signal?: AbortSignal },
  ): Promise<EventResult>
  /**
   * Ends the session: a run under way is aborted, SessionEnd is fired if the session had begun, and nothing can be run any
   * more. Hooks of SessionEnd have a minute. Ending it again does nothing. An agent holds on to a session that has begun
   * until it ends.
   * @param reason default `other`
   * @returns what the hooks of SessionEnd brought, and `session_end` last
   */
  end(reason?: Exclude<SessionEndReason, 'clear' | 'resume'>): Promise<readonly RunEvent[]>
}

export interface RunOptions {
  /** Ends the run within 200 ms. */
  readonly signal?: AbortSignal
  /**
   * Remembers what is done, so that the run survives its process. Default: nothing is remembered. Throws
   * `agent-core.session.durable` if the agent has a store: the log would have everything twice after a replay.
   */
  readonly durable?: Durable
  /**
   * Makes something of the prompt, such as the start of a skill, once hooks have let it pass and before the first turn. One
   * step of the run. A rejection ends the run as a problem does.
   */
  readonly expand?: (options: { readonly signal: AbortSignal }) => Promise<PromptExpansion>
  /**
   * What the prompt starts, for hooks of UserPromptExpansion: they are told once those of UserPromptSubmit have let the
   * prompt pass, and before {@link expand}. A block ends the run as `blocked`, and leaves no trace of the prompt in the
   * conversation. Default: it starts nothing, and they are told nothing.
   */
  readonly command?: ExpansionPayload
}

/** What happens outside of the loop, and hooks of its sessions shall hear of: a program fires it. */
export type HostEvent = 'Elicitation' | 'ElicitationResult' | 'ConfigChange' | 'FileChanged' | 'Notification'

/** What goes behind a prompt, or why the run can't begin. */
export type PromptExpansion =
  | { readonly context: readonly Attributed[]; readonly problem?: undefined }
  | { readonly problem: Attributed; readonly context?: undefined }

/**
 * The events of a run, once: a second iteration throws `agent-core.run.iterated`. Leaving the iteration does not end
 * the run; abort its signal for that. Events wait for a slow reader: beyond 4,096 neighbouring texts are joined, beyond
 * 16,384 the oldest are given up, which `dropped` says.
 */
export interface Run extends AsyncIterable<RunEvent> {
  /** Settles when the run has ended, also when nobody iterates. Never rejects. */
  readonly result: Promise<RunResult>
}
