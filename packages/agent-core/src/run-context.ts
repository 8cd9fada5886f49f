import type { SchemaValidator } from '@ext/kernel/ajv'
import type {
  Attributed,
  EventResult,
  ModelEffort,
  PermissionMode,
  RunTerms,
  SessionRef,
  StopError,
  Tool,
  ToolTable,
} from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { AgentDefinition } from './agents/definition.js'
import type { Holder, Views } from './agents/handoff/holder.js'
import type { CheckedHandoff } from './agents/handoff/options.js'
import type { AgentProfile } from './agents/profile.js'
import type { AuditSink } from './audit.js'
import type { Toolbox } from './call/toolbox.js'
import type { Steps } from './durable.js'
import type { Helper } from './helpers.js'
import type { NamedModel } from './host-ports.js'
import type { CheckedLimits } from './limits.js'
import type { SharedMessages } from './request-messages.js'
import type { RunEventFields, RunEventType, RunReason } from './run-events.js'
import type { Journal } from './sessions/journal.js'
import type { SessionEventFields } from './sessions/log.js'
import type { OpenTurn, Restored, SessionTotals } from './sessions/restored.js'
import type { SessionStore } from './sessions/store.js'
import type { Spent } from './spending.js'
import type { TaskFiles } from './tasks/files.js'
import type { Tasks } from './tasks/tasks.js'
import type { LiveSpan, Tracer } from './trace.js'
import type {
  AgentOptions,
  Compaction,
  Extension,
  ExtensionSession,
  Gate,
  GateSession,
  InstructionSource,
  Interceptor,
  InterceptorSession,
  Message,
  Model,
} from './types.js'

/** What runs in the background of a session. */
export interface TaskOptions {
  /** Default: of output that does not fit into memory the end is kept. */
  readonly files?: TaskFiles
}

/** What all sessions of an agent share. Nothing of it changes but `active`. */
export interface AgentContext {
  readonly model: Model
  readonly system: string
  readonly tools: readonly Tool[]
  readonly extensions: readonly Extension[]
  readonly interceptor: Interceptor | undefined
  readonly gate: Gate
  /** The gate is the host's, and knows modes. */
  readonly isGated: boolean
  /** By folded name. */
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly models: (name: string) => NamedModel
  readonly toolTable: ToolTable
  readonly tasks: TaskOptions | undefined
  readonly handoff: CheckedHandoff | undefined
  readonly audit: AuditSink | undefined
  readonly store: SessionStore | undefined
  readonly instructions: InstructionSource | undefined
  readonly compaction: Compaction
  readonly tracer: Tracer | undefined
  /** It never fails. */
  readonly clock: ClockPort
  /** What has failed of the host's, for whoever has a run: each is said once in a session. */
  readonly troubles: Set<string>
  readonly validator: SchemaValidator
  readonly limits: CheckedLimits
  readonly beforeTurn: AgentOptions['beforeTurn']
  readonly idleMs: number | undefined
  readonly diagnostics: { readonly errors: number; readonly warnings: number }
  /** The runs that are under way, and the sub-agents in them, by `runKey`. */
  readonly active: Map<string, RunContext>
  newId(): string
}

/** The wish of an agent to hand the conversation over. */
export interface HandoffOrder {
  readonly to: string
  readonly reason?: string
}

/** A text that waits for the next message. */
export interface Pending extends Attributed {
  /** It tells the end of this task. */
  readonly task?: string
}

/** What a session, or a sub-agent, keeps between its turns. Begun anew by `clear`. */
export interface SessionState {
  /** Another one of the same id once the conversation is handed over, and so are the next three. */
  ref: SessionRef
  /** Start of the system prompt. */
  prefix: string
  interceptor: InterceptorSession | undefined
  gate: GateSession
  readonly messages: Message[]
  /** What requests share of them, where they are many. */
  shared?: SharedMessages | undefined
  /** Those with which it began, whoever has the conversation: what is active in it stays so. */
  readonly extensions: readonly ExtensionSession[]
  /** The mode of the agent with which it began. */
  readonly firstMode: PermissionMode
  /** Who has the conversation since it was handed over. */
  holder: Holder | undefined
  /** Carried out once the turn is over. */
  handingOver: HandoffOrder | undefined
  /** What agents that have had the conversation see of it, by name and mode. */
  readonly views: Map<string, Views>
  started: boolean
  /** Where the newest prompt stands in `messages`. */
  promptAt: number
  /** Hook context that waits for the next message. */
  pending: Pending[]
  /** What runs in the background of the session, its sub-agents included. */
  readonly tasks: Tasks
  toolbox: Toolbox | undefined
  /** The system prompt, from the first turn on. */
  system: string | undefined
  /** What instruction files say; `undefined` until they are loaded, where any are looked for. */
  instructions: string | undefined
  /** Context blocks of the last request. */
  inEffect: ReadonlySet<string>
  /** Notices that are worth saying once. */
  readonly said: Set<string>
  /** Id of its log: that of the session, or one for a sub-agent. */
  readonly logId: string
  /** Where it is kept, if it is. */
  readonly journal: Journal | undefined
  /** What the next run says first. */
  readonly remarks: string[]
  /** Ends of tasks that the log has not heard of. */
  readonly lostTasks: SessionEventFields['task_end'][]
  totals: SessionTotals
  /** An answer of the model whose calls a killed process has not brought to their end. */
  open: OpenTurn | undefined
  /** The run in which that happened. */
  unfinished: Restored['unfinished']
  /** What a hook that was told outside of the loop has ended the run that is under way with. */
  stop: EventResult['stop']
  /** The states of extensions that are in the log, as JSON. */
  keptStates: string
  /** What the model has counted last: the tokens of so many messages. */
  measured: Restored['measured']
}

/** What one run, or one sub-agent in it, works with. */
export interface RunContext {
  /** Start of the idempotency keys of its calls. */
  readonly id: string
  readonly agent: AgentContext
  readonly session: SessionState
  /** What it works with unless somebody wants another one. */
  ownModel: Model
  /** Of the turn that is under way. */
  model: Model
  readonly ownEffort: ModelEffort | undefined
  /** Of the turn that is under way. */
  effort: ModelEffort | undefined
  /** The loop that has started it. */
  readonly parent: RunContext | undefined
  /** What holds for it besides what its extensions and its parent say. */
  readonly given: readonly RunTerms[]
  maxTurns: number
  /** 0 for the run itself. */
  readonly depth: number
  /** Where it stands in its run: empty, or the places of sub-agents with `/` behind each. */
  readonly path: string
  /** The only way to an effect. */
  readonly durable: Steps
  /** Aborts when the run shall end. */
  readonly signal: AbortSignal
  /** Aborts a little later: what belongs to a call that was under way may still be done until then. */
  readonly grace: AbortSignal
  /** The tool that starts sub-agents. */
  agentTool: Tool | undefined
  /** The tool that hands the conversation over. */
  handoffTool: Tool | undefined
  /** The tools for what runs in the background. */
  taskTools: readonly Tool[]
  /** What it is kept to, and those that it starts as well. */
  profile: AgentProfile | undefined
  /** Whether a tool may be used here. */
  allows: (tool: Tool) => boolean
  /** The budget does not end it: it may keep something from happening. */
  readonly guards: boolean
  /** Of the run with all its sub-agents. */
  readonly spent: Spent
  /** The same of the process that the run was begun in, as far as its log says. Counts for the budget alone. */
  readonly spentBefore: Readonly<Spent>
  /** What helpers have used and no step remembers yet. */
  readonly unclaimed: Spent
  /** Why no compaction is tried any more in this run. */
  uncompacted: string | undefined
  /** The model found the conversation too long, and has not answered since. */
  overflowed: boolean
  /** Ports that have failed once are left alone for the rest of the run. */
  readonly health: { tracingFailed: boolean; auditFailed: boolean }
  readonly span: LiveSpan | undefined
  /** What runs beside its turns, and ends with it. */
  readonly helpers: Set<Helper>
  turns: number
  /** How often the conversation was handed over. */
  handoffs: number
  text: string
  /** Of this loop alone. */
  readonly used: Spent
  /** How often a hook has refused the end of this run. */
  stopBlocks: number
  /** Why a hook has refused it last, if no tool was called since. */
  refusal: string | undefined
  unknownInARow: number
  /** The newest call, as a text to compare with, and how often it came in a row. */
  repeated: { readonly call: string; readonly times: number }
  emit<T extends RunEventType>(type: T, fields: RunEventFields[T]): void
}

/** What a loop has done before its first turn. */
export function nothingDone(): Pick<
  RunContext,
  | 'helpers'
  | 'turns'
  | 'handoffs'
  | 'text'
  | 'uncompacted'
  | 'overflowed'
  | 'stopBlocks'
  | 'refusal'
  | 'unknownInARow'
  | 'repeated'
> {
  return {
    helpers: new Set(),
    turns: 0,
    handoffs: 0,
    text: '',
    uncompacted: undefined,
    overflowed: false,
    stopBlocks: 0,
    refusal: undefined,
    unknownInARow: 0,
    repeated: { call: '', times: 0 },
  }
}

/** Why a run ends, and what to say about it. */
export interface RunEnd {
  readonly reason: RunReason
  readonly notice?: Attributed | { readonly text: string }
  /** Set when it was not its natural end: StopFailure is fired. */
  readonly error?: { readonly kind: StopError; readonly message: string }
}

/** The end of a run that failed or reached a limit. */
export function failedEnd(reason: RunReason, kind: StopError, message: string): RunEnd {
  return { reason, notice: { text: message }, error: { kind, message } }
}
