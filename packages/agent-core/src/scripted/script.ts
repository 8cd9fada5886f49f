import type { JsonObject } from '@ext/kernel/contract'

/** What a model says and calls, turn by turn. */
export interface Script {
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
  readonly say?: string
  readonly calls?: readonly { readonly tool: string; readonly input: JsonObject }[]
  /** On the last turn: it is repeated for ever. */
  readonly loop?: boolean
}
