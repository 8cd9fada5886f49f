import type {
  Authorization,
  AuthorizeOptions,
  AuthorizeRequest,
  EventResult,
  InstructionsKind,
  LifecycleEvent,
  LifecyclePayloads,
  Message,
  RunTerms,
  SessionRef,
  Tool,
  TraceContext,
} from '@ext/kernel/contract'
import type { PromptExpansion } from './session.js'

/** Acts on the life cycle without being asked: hooks. */
export interface Interceptor {
  /** Asked again, with the same id, for an agent to which the conversation of a session is handed over. */
  session(ref: SessionRef): InterceptorSession
}

export interface InterceptorSession {
  /**
   * @returns `undefined` when nobody listens; `payload` is then never called. A throw or rejection costs its answer
   *   only, and is said, and so does an answer that is none: the run goes on as if nobody had listened, but a call after
   *   PreToolUse has to be asked.
   */
  fire<E extends LifecycleEvent>(
    event: E,
    payload: () => LifecyclePayloads[E],
    options: {
      readonly signal?: AbortSignal
      /** The span of the event, where there is one; begun when somebody asks for it. */
      readonly trace?: TraceContext | undefined
    },
  ): undefined | Promise<EventResult>
  /**
   * The session has ended, and this was the view of an agent that had handed its conversation over: the one that has it now
   * is told of the end. What still runs here ends.
   */
  end?(): void
}

/** Says whether a call may run: permission. */
export interface Gate {
  /** Asked again, with the same id, for an agent to which the conversation of a session is handed over. */
  session(ref: SessionRef): GateSession
}

export interface GateSession {
  /**
   * Decides, and asks whoever can be asked. A throw or rejection is a deny, and so is an answer that is none. It has to
   * hold to the limits of `options.terms`: nobody else looks at what a call does.
   */
  authorize(request: AuthorizeRequest, options: AuthorizeOptions): Promise<Authorization>
}

/** Brings tools, texts or both: MCP servers, skills. One that throws or gives something else is left out, which is said. */
export interface Extension {
  /** Once for each conversation: it stays the same where that is handed over to another agent. */
  session(ref: SessionRef): ExtensionSession
}

export type ExtensionSession = Partial<
  ToolSource & ContextSource & TermsSource & RunWitness & StateKeeper & CompactionWitness & Expander
>

export interface ToolSource {
  /** Asked before every turn. Tools that are the same objects as before cost nothing. */
  tools(): readonly Tool[]
  /**
   * A tool that can be called and is not listed, as where many tools are searched. Asked for a name that is in no list, which
   * need not end in a call.
   */
  tool?(name: string): Tool | undefined
}

export interface ContextSource {
  /** Asked before every turn. */
  context(): readonly ContextBlock[]
}

/** Has a say in what calls may run and what model is asked, for as long as it gives its terms. */
export interface TermsSource {
  /**
   * Asked before every model call and every tool call, also those of sub-agents, for which limits hold as well. Best the
   * same values as long as nothing changes. Of one that throws nobody knows what it would have refused, so calls are.
   */
  terms(): readonly RunTerms[]
}

/** Is told what happens in a run. Nobody waits for it, and a throw is only said. */
export interface RunWitness {
  /** A tool was run, in the session or in a sub-agent of it, whatever came of it. */
  called(request: AuthorizeRequest): void
  /** The run or the sub-agent of the session is over, however it ended. What was for the run only ends now. */
  runEnded(): void
}

/** Makes something of a name, such as the start of a skill. */
export interface Expander {
  /**
   * For the `skills` of a sub-agent, or of an agent to which the conversation is handed over: `session` is that one's. A
   * rejection is a problem.
   */
  expand(
    command: { readonly name: string; readonly args: string },
    options: { readonly signal: AbortSignal; readonly terms: readonly RunTerms[]; readonly session: SessionRef },
  ): Promise<PromptExpansion>
}

/** Keeps something that a session has to have again when it is resumed, such as what is active in it. */
export interface StateKeeper {
  /** As JSON. Asked after every turn. It is kept by the place of the extension in the agent. */
  state(): unknown
  /**
   * Takes up what {@link state} has given, before the first run. It comes from a file, so it can be anything.
   * @returns `missing`: names of what there is no more, for the user
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: an extension may have nothing to say
  restore(saved: unknown): { readonly missing?: readonly string[] } | void
}

/** Is told that a summary has taken the place of the conversation, so that it can make what it gives to each turn shorter. */
export interface CompactionWitness {
  compact(): unknown
}

/** Finds the files in which people write down what a model shall know. */
export interface InstructionSource {
  /** Asked once for each session, before its first prompt. One that fails costs the instructions, and is said. */
  load(cwd: string, options: { readonly signal: AbortSignal }): Promise<LoadedInstructions>
}

/** What goes into the system prompt, the farthest file first. */
export interface LoadedInstructions {
  readonly files: readonly InstructionsFile[]
  /** For the user: what was cut or left out. */
  readonly notices: readonly string[]
}

export interface InstructionsFile {
  /** Absolute. */
  readonly path: string
  readonly kind: InstructionsKind
  /** `include`: another file names it */
  readonly reason: 'session_start' | 'include'
  readonly text: string
}

/** How a conversation that gets long is made shorter. */
export interface Compaction {
  /** Share of the model's context from which on; `Infinity` for never. Default 0.8. */
  readonly at?: number
  /** Newest turns that stay word for word, as far as they fit into 30 % of the context. Default 2. */
  readonly keepTurns?: number
  /** Puts messages into a summary. Default: the model of the run is asked. */
  readonly summarize?: (messages: readonly Message[], options: { readonly signal: AbortSignal }) => Promise<string>
}

export interface ContextBlock {
  /** Who it comes from, for people. */
  readonly by: string
  /**
   * - `system`: into the system prompt, as it was before the first turn of the session; for what never changes
   * - `turn`: behind the newest message of every request, for as long as it is given
   */
  readonly place: 'system' | 'turn'
  readonly text: string
}
