import type { AnyHookFunction } from '../function.js'

/** What a hook does. */
export type Action = CommandAction | HttpAction | PromptAction | AgentAction | FunctionAction

/** Runs a program. With `args` no shell is involved. */
export interface CommandAction {
  readonly type: 'command'
  readonly command: string
  readonly args?: readonly string[]
  readonly shell: 'sh' | 'bash'
  readonly env: Readonly<Record<string, string>>
  /** Variables of the host that the command may see. */
  readonly passEnv: readonly string[]
  /** As written; relative to the project folder. */
  readonly cwd?: string
}

/** Sends the event to a server, whose answer is the reply. */
export interface HttpAction {
  readonly type: 'http'
  readonly url: string
  readonly method: 'POST' | 'PUT' | 'PATCH'
  /** As written, with `$NAME` for variables. */
  readonly headers: Readonly<Record<string, string>>
  /** Variables of the host that may stand in headers; all others are empty there. */
  readonly allowedEnvVars: readonly string[]
  /** What is sent. Default: the event, or those `fields` of it. */
  readonly body?: string
  readonly fields?: readonly string[]
  /** Also what looks like a secret is sent as it is. */
  readonly raw: boolean
}

/** Tells the model of the session a text, or asks a model whether something may happen. */
export type PromptAction = { readonly type: 'prompt' } & (
  | { readonly text: string; readonly prompt?: undefined }
  | { readonly text?: undefined; readonly prompt: string; readonly model?: string }
)

/** Has a sub-agent look into it. */
export interface AgentAction {
  readonly type: 'agent'
  /** Name of a definition that the host's runner knows. */
  readonly agent?: string
  readonly prompt: string
  /** All tools that it may use. Default: those that only read. */
  readonly tools?: readonly string[]
  readonly model?: string
}

/** Calls a function of the embedder. */
export interface FunctionAction {
  readonly type: 'function'
  readonly fn: AnyHookFunction
}
