import type { SchemaValidator } from '@ext/kernel/ajv'
import type { Attributed, SessionRef, Tool } from '@ext/kernel/contract'
import type { ClockPort } from '@ext/kernel/types'
import type { Toolbox } from './call/toolbox.js'
import type { RunEventFields, RunEventType, RunReason } from './run-events.js'
import type { AgentLimits, ExtensionSession, GateSession, InterceptorSession, Message, Model } from './types.js'

/** What all sessions of an agent share. Never changes. */
export interface AgentContext {
  readonly model: Model
  readonly system: string
  readonly tools: readonly Tool[]
  readonly clock: ClockPort
  readonly validator: SchemaValidator
  readonly limits: Required<AgentLimits>
  readonly diagnostics: { readonly errors: number; readonly warnings: number }
  newId(): string
}

/** What a session keeps between its runs. */
export interface SessionState {
  readonly ref: SessionRef
  readonly messages: Message[]
  readonly interceptor: InterceptorSession | undefined
  readonly gate: GateSession
  readonly extensions: readonly ExtensionSession[]
  started: boolean
  /** Hook context that waits for the next prompt. */
  pending: Attributed[]
  toolbox: Toolbox | undefined
  /** The system prompt, from the first turn on. */
  system: string | undefined
  /** Context blocks of the last request. */
  inEffect: ReadonlySet<string>
  /** Notices that are worth saying once. */
  readonly said: Set<string>
}

/** What one run works with. */
export interface RunContext {
  readonly id: string
  readonly agent: AgentContext
  readonly session: SessionState
  /** Aborts when the run shall end. */
  readonly signal: AbortSignal
  /** Aborts a little later: what belongs to a call that was under way may still be done until then. */
  readonly grace: AbortSignal
  turns: number
  text: string
  inputTokens: number
  outputTokens: number
  /** How often a hook has refused the end of this run. */
  stopBlocks: number
  unknownInARow: number
  emit<T extends RunEventType>(type: T, fields: RunEventFields[T]): void
}

/** Why a run ends, and what to say about it. */
export interface RunEnd {
  readonly reason: RunReason
  readonly notice?: Attributed | { readonly text: string }
}
