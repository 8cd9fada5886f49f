import type { JsonObject, JsonSchema, JsonValue } from './json.js'
import type { SessionRef } from './session.js'
import type { RunTerms } from './terms.js'
import type { TraceContext } from './trace.js'

/**
 * What a tool does to the world, set by whoever makes the Tool; unknown is `exec`, the strictest.
 * `meta` changes only the agent itself, such as loading a skill.
 */
export type ToolKind = 'read' | 'edit' | 'exec' | 'network' | 'meta'

/** What a tool says about itself, in the words of MCP. Believed only if its source is `trusted`. */
export interface ToolAnnotations {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** Where a tool comes from. */
export interface ToolSourceInfo {
  /** Name of the MCP server, for tools that come from one. */
  readonly server?: string
  /** The tool's own name at its source. */
  readonly tool: string
  /** Whether annotations and descriptions of this source are believed. */
  readonly trusted: boolean
}

/** A tool without its function: what permission and hooks need to know about it. */
export interface ToolInfo {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly kind: ToolKind
  readonly annotations: ToolAnnotations
  readonly source: ToolSourceInfo
  /** Part of the agent itself: no allow-list can remove it. */
  readonly system?: boolean
  /** Longest running time in milliseconds; `Infinity` for one that has limits of its own. Default: that of the agent. */
  readonly timeoutMs?: number
}

/** A tool that can be run. */
export interface Tool extends ToolInfo {
  /**
   * What a model is shown in place of `inputSchema`, where its provider refuses that. Input is checked against `inputSchema`
   * all the same.
   */
  readonly modelSchema?: JsonSchema
  /**
   * Does the work. Failures that the model can act on are results with `isError`, not exceptions;
   * a thrown error is reported as a crash of the tool. Must stop when `context.signal` aborts.
   */
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>
}

/** What a tool is told about the call that it serves. */
export interface ToolContext {
  readonly signal: AbortSignal
  readonly session: SessionRef
  readonly callId: string
  /** Stable for one call of one run (run, turn, index), so that a repeated attempt can be recognised. */
  readonly idempotencyKey: string
  /** What holds for the calls of the run besides the rules. A tool that has something else authorized passes it on. */
  readonly terms?: readonly RunTerms[]
  /** The span of the call, where there is one: what the tool has done elsewhere belongs below it. */
  readonly trace?: TraceContext | undefined
  /** Says how far the work is. Nobody waits for it; after the end of the call it does nothing. */
  progress(update: ToolProgress): void
  /** A line for the user, never for the model. After the end of the call it does nothing. */
  report(text: string): void
  /** Goes on with work after the end of the call. Absent where nothing runs in the background. */
  background?(work: BackgroundWork): Promise<BackgroundStart>
}

/** Work that goes on while the model does something else. It ends with its session at the latest. */
export interface BackgroundWork {
  readonly kind: 'agent' | 'command'
  /** What it does, in one line, for people and the model. */
  readonly subject: string
  /** Does it. A rejection is a failure. Must stop when `task.signal` aborts. */
  run(task: BackgroundTask): Promise<BackgroundEnd>
}

/** What work in the background is told. */
export interface BackgroundTask {
  readonly id: string
  readonly signal: AbortSignal
  /** Output, as it comes. */
  write(text: string): void
}

/** How work in the background came to its end. */
export interface BackgroundEnd {
  readonly failed: boolean
  /** A few words, such as `exit code 1`. */
  readonly how: string
  /** What it has to say in the end, if that was not put out before. */
  readonly text?: string
}

/** The id under which the work runs, or why it does not, as a sentence. */
export type BackgroundStart =
  | { readonly id: string; readonly problem?: undefined }
  | { readonly id?: undefined; readonly problem: string }

/** How far a tool is; the fields of MCP's progress notifications. */
export interface ToolProgress {
  /** Grows from update to update. */
  readonly progress: number
  /** What `progress` will be in the end, if that is known. */
  readonly total?: number
  readonly message?: string
}

/** What a tool gives back, also when it failed. */
export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  /** Structured form of the result, when the tool has one. */
  readonly structured?: JsonValue
  /** For programs, never shown to the model. `call` in it is read as {@link ToolCallFacts}. */
  readonly meta?: JsonObject
}

/** What whoever ran a tool elsewhere says about one call of it, for audits and measures. Nothing of its content. */
export interface ToolCallFacts {
  /** How far the call came: the tool was looked for, its server was connected to, the call was sent. */
  readonly phase: 'find' | 'connect' | 'call'
  /** Why it failed. Absent: it did not. */
  readonly kind?: string
  /** How often it was sent again. */
  readonly retries: number
  /** How long it waited for the server and for its turn, in milliseconds. */
  readonly queueMs: number
  /** How long the server took for it, all attempts together, in milliseconds. */
  readonly runMs: number
  /** Of the result that came of it. */
  readonly bytes: number
}

/** What goes to and from the model. Shapes follow the MCP content types. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource'
      readonly resource: {
        readonly uri: string
        readonly mimeType?: string
        readonly text?: string
        readonly blob?: string
      }
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly description?: string
      readonly mimeType?: string
    }

/**
 * Says which well-known tool a host's tool is like, and which of its input fields holds what. With it one rule or
 * matcher about `Edit` holds for every tool that edits. Keys are tool names of the host.
 */
export type ToolTable = Readonly<Record<string, ToolLikeness>>

/** Which well-known tool a tool is like. */
export interface ToolLikeness {
  /** Name in the rule language: `Bash`, `Read`, `Edit`, `WebFetch`, … */
  readonly as: string
  /** Input field with the path or a list of paths; several fields for a tool such as a move, which touches two places. */
  readonly path?: string | readonly string[]
  /** Input field with the command line. */
  readonly command?: string
  /** Input field with the URL that is fetched. */
  readonly url?: string
}

/** A call as the model asked for it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}
