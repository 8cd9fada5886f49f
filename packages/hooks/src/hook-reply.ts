import type {
  ElicitationAction,
  JsonObject,
  JsonValue,
  LifecycleEvent,
  ModelRequest,
  ModelResponse,
} from '@ext/kernel/contract'

/**
 * What a hook answers: a command prints it as JSON, a server sends it, a function returns it. A field that is absent, null
 * or undefined says nothing.
 */
export interface HookReply<E extends LifecycleEvent = LifecycleEvent> {
  /** Blocks, with `reason`; what that does depends on the event. */
  readonly decision?: 'block' | 'approve' | undefined
  readonly reason?: string | undefined
  /** False: the run ends, with `stopReason`. */
  readonly continue?: boolean | undefined
  readonly stopReason?: string | undefined
  /** A line for the user. */
  readonly systemMessage?: string | undefined
  /** True: text that a command prints before this reply is not shown. */
  readonly suppressOutput?: boolean | undefined
  readonly hookSpecificOutput?: ({ readonly hookEventName?: E } & OwnOutput<E>) | undefined
}

/** The fields of `hookSpecificOutput` that have an effect at an event. */
export type OwnOutput<E extends LifecycleEvent> = E extends keyof OwnOutputs ? OwnOutputs[E] : unknown

interface OwnOutputs {
  readonly SessionStart: Context
  readonly UserPromptSubmit: Context
  readonly UserPromptExpansion: Context
  readonly BeforeModel: Context & {
    /** Parts that replace those of the request. */
    readonly updatedRequest?: Partial<Pick<ModelRequest, 'system' | 'messages' | 'tools'>> | undefined
  }
  readonly AfterModel: {
    /** Parts that replace those of the response. */
    readonly updatedResponse?: Partial<ModelResponse> | undefined
  }
  readonly PreToolUse: Context & {
    readonly permissionDecision?: 'allow' | 'ask' | 'deny' | undefined
    readonly permissionDecisionReason?: string | undefined
    /** The whole input of the call instead. */
    readonly updatedInput?: JsonObject | undefined
  }
  readonly PermissionRequest: {
    readonly decision?:
      | {
          readonly behavior: 'allow'
          readonly message?: string | undefined
          readonly updatedInput?: JsonObject | undefined
          /** Rules to remember for the session, for example `Bash(npm test)`. */
          readonly updatedPermissions?: readonly string[] | undefined
        }
      | { readonly behavior: 'deny'; readonly message?: string | undefined; readonly interrupt?: boolean | undefined }
      | undefined
  }
  readonly PermissionDenied: {
    /** The model may try the call again. */
    readonly retry?: boolean | undefined
  }
  readonly PostToolUse: Context & {
    /** What the model gets as the result: a text, content blocks or other JSON. */
    readonly updatedToolOutput?: JsonValue | undefined
  }
  readonly PostToolUseFailure: Context
  readonly PostToolBatch: Context
  readonly SubagentStart: Context
  readonly Stop: Context
  readonly Elicitation: Answer
  readonly ElicitationResult: Answer
}

interface Answer {
  /** What the server that asks is told instead. */
  readonly action?: ElicitationAction | undefined
  /** With `accept`: values for the fields of the form. */
  readonly content?: JsonObject | undefined
}

interface Context {
  /** A text for the model. */
  readonly additionalContext?: string | undefined
}
