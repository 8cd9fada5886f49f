import type { JsonValue } from '@ext/kernel/contract'
import type { ModelErrorKind } from '../model-error.js'

/** What a model says and calls, turn by turn. */
export interface Script {
  /** Of every conversation that none of `agents` is for. */
  readonly turns: readonly ScriptTurn[]
  /** Of conversations beside it, such as those of sub-agents; the first that fits is played. */
  readonly agents?: readonly AgentScript[]
}

/** The part of a conversation from one message on. */
export interface AgentScript {
  /** Text of the user message at which it starts, such as the prompt that a sub-agent is given. */
  readonly when: { readonly contains: string }
  readonly turns: readonly ScriptTurn[]
}

export interface ScriptTurn {
  /** What must be among the newest messages. Every given part must hold. */
  readonly when?: {
    /** A text that one of them holds. */
    readonly contains?: string
    /** The tool that one of the results is from. */
    readonly tool?: string
    /** Whether that result is an error. */
    readonly isError?: boolean
  }
  /** What it thinks aloud before it says anything. */
  readonly think?: string
  readonly say?: string
  /** An `input` that is no map is what a model errs with, such as a text that is no JSON. */
  readonly calls?: readonly { readonly tool: string; readonly input: JsonValue }[]
  /** What the model says it took. Default: it does not say. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number }
  /** Breaks the stream off behind all that, with a `ModelError`. With nothing before it, every repetition fails alike. */
  readonly fail?: { readonly kind: ModelErrorKind; readonly message: string; readonly retryAfterMs?: number }
  /** On the last turn: it is repeated for ever. */
  readonly loop?: boolean
}
