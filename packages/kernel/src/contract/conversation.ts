import type { JsonObject, JsonSchema } from './json.js'
import type { SessionRef } from './session.js'
import type { RunTerms } from './terms.js'
import type { ContentBlock, ToolCall } from './tools.js'

/** One step of a conversation between a person, a model and tools. */
export type Message =
  | { readonly role: 'user'; readonly content: readonly ContentBlock[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly ToolCall[]
      /** What the model wants back with its answer, such as signed thoughts. Only the model that gave it reads it. */
      readonly meta?: JsonObject
    }
  | { readonly role: 'tool'; readonly results: readonly ToolMessageResult[] }

/** The answer to one call. Every call of an assistant message has one, in the order of the calls. */
export interface ToolMessageResult {
  readonly callId: string
  readonly name: string
  readonly isError: boolean
  readonly content: readonly ContentBlock[]
}

/** What a model is told about a tool. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

/** What a model is asked. */
export interface ModelRequest {
  /** Byte for byte the same in every request of a session, so that a prompt cache can hold it. */
  readonly system: string
  /**
   * Oldest first. The last one is never the assistant's. Whoever keeps the list copies it: a long one goes on into the next
   * request.
   */
  readonly messages: readonly Message[]
  /** Sorted by name. */
  readonly tools: readonly ToolSpec[]
  /** Most tokens of the answer. Default: what the model does by itself. */
  readonly maxOutputTokens?: number
  /** How much the model shall think. Default: what it does by itself; one that knows no effort leaves it out. */
  readonly effort?: ModelEffort
}

/** How much a model shall think before it answers, from least to most. */
export type ModelEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** What a model answered. */
export interface ModelResponse {
  readonly text: string
  readonly calls: readonly ToolCall[]
}

/** Runs sub-agents for somebody other than the model: a hook, a skill that is forked. */
export interface AgentRunner {
  /**
   * Runs one to its end, in the session that asks. Never rejects but for an abort, with the reason of `signal`: what goes
   * wrong is in the result.
   */
  run(order: AgentOrder, options: { readonly signal?: AbortSignal }): Promise<AgentOutcome>
}

/** What a sub-agent shall do. */
export interface AgentOrder {
  /** The session that asks; it has a run under way. */
  readonly session: SessionRef
  /** Name of a definition that the agent knows. Default: one without a system prompt of its own. */
  readonly type?: string
  readonly prompt: string
  /** All tools that it may use, of those that its session has. Default: those that only read. */
  readonly tools?: readonly string[]
  /** Default: what the definition says, else the model of the session. */
  readonly model?: string
  /** Default: that of the model. */
  readonly effort?: ModelEffort
  /** Default: what the definition says, else the limit of the agent. */
  readonly maxTurns?: number
  /**
   * What it sees of the conversation of the session, up to the turn that is under way. `none`, the default: nothing ·
   * `recent`: the newest messages, at most 20 and 8,000 tokens · `full`: all of it
   */
  readonly context?: 'none' | 'recent' | 'full'
  /** What holds for its calls besides what holds for those of its session. */
  readonly terms?: readonly Omit<RunTerms, 'model' | 'effort'>[]
  /**
   * Whoever asks may keep something from happening, as a hook does. So it comes to its end also when the budget of the run
   * is used up; what it uses counts all the same. Default false.
   */
  readonly guards?: boolean
}

/** What became of a sub-agent. */
export interface AgentOutcome {
  /** Whether it came to its natural end. */
  readonly done: boolean
  /** Its last message. */
  readonly text: string
  /** Why it did not come to its end. */
  readonly problem?: string
}
