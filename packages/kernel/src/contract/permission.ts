import type { Source } from '../types.js'
import type { JsonObject } from './json.js'
import type { Attributed } from './lifecycle.js'
import type { SessionRef } from './session.js'
import type { RunTerms } from './terms.js'
import type { ToolCall, ToolInfo } from './tools.js'

/** What may happen to a call. */
export type Behavior = 'allow' | 'ask' | 'deny'

/** What somebody other than the rules thinks of a call, for example a hook. */
export interface Opinion {
  readonly behavior: 'allow' | 'ask'
  readonly by: string
  readonly reason?: string
}

/**
 * - `terms`: whoever is active in the run refuses it, such as a skill with a limit of tools
 * - `critical`: what no rule, mode or hook may approve · `boundary`: the workspace and its protected paths
 * - `shell`: what a command line holds that can't be judged · `rules` · `mode`: of the session
 * - `opinion`: a hook's · `default`: nothing else had an answer
 */
export type DecisionLayer = 'terms' | 'critical' | 'boundary' | 'shell' | 'rules' | 'mode' | 'opinion' | 'default'

/** What one layer had to say about a call. */
export interface TraceStep {
  readonly layer: DecisionLayer
  /** `none`: the layer has nothing to say about this call. */
  readonly verdict: Behavior | 'none'
  readonly reason: string
  /** The rule as it is written in its file. */
  readonly rule?: string
  readonly source?: Source
}

/** What the rules say about a call, and why. */
export interface Decision {
  readonly behavior: Behavior
  readonly decidedBy: { readonly layer: DecisionLayer; readonly rule?: string; readonly source?: Source }
  /** For people. */
  readonly reason: string
  /** For the model: what it may do instead. */
  readonly modelReason: string
  /** Every layer that was consulted, in order. */
  readonly trace: readonly TraceStep[]
  /** The narrowest rules that would allow the call. Only where a rule could. */
  readonly suggestions?: readonly string[]
  /** Only a person may allow it: a critical operation or a protected path. */
  readonly personOnly?: boolean
}

/** Something that has to be asked. */
export interface PermissionQuestion extends AuthorizeRequest {
  readonly decision: Decision
  readonly session: SessionRef
}

/** What somebody answers to a question. */
export interface PermissionAnswer {
  readonly behavior: 'allow' | 'deny'
  /** For the model. */
  readonly reason?: string
  /** Run the call with this input instead; it is decided again as a whole. */
  readonly updatedInput?: JsonObject
  /** Rules to remember for the session. They never allow more than the call that was asked about. */
  readonly rules?: readonly string[]
}

/** Somebody who may answer a question; several race, and the first answer counts. */
export interface Contender {
  /** For people and records. */
  readonly name: string
  /** A person may allow whatever is asked; automation can only refuse what is `personOnly`. */
  readonly kind: 'person' | 'automation'
  /**
   * Resolves with `undefined` for no opinion. A throw is no opinion either, and is said. `signal` aborts once the answer
   * no longer matters.
   */
  answer(question: PermissionQuestion, options: { readonly signal: AbortSignal }): Promise<PermissionAnswer | undefined>
}

/** How a call is to be authorized. */
export interface AuthorizeOptions {
  /** What a hook thinks of the call. */
  readonly opinion?: Opinion
  /** What holds for the call besides the rules. Limits of several all count, and grants of one are enough. */
  readonly terms?: readonly RunTerms[]
  /** Who may answer besides those that the gate knows itself. */
  readonly contenders?: readonly Contender[]
  /** Called once, when the question is put to a person. Must not throw. */
  readonly onQuestion?: (question: PermissionQuestion) => void
  /**
   * A person's answer comes later and from elsewhere: nobody is asked here but automation, and without an answer from it
   * the authorization is a deny that is `answeredBy: 'deferred'`.
   */
  readonly defer?: boolean
  /** The answer of a person who was asked elsewhere, after a deferred question. */
  readonly answer?: PermissionAnswer
  readonly signal?: AbortSignal
}

/** The end of the way: a decision, and who answered if it had to be asked. */
export interface Authorization {
  readonly behavior: 'allow' | 'deny'
  readonly decision: Decision
  /**
   * - `rules`: no question was needed · `user`: a person · `automation`: a hook or another program
   * - `nobody`: it had to be asked and nobody could answer · `timeout`: nobody answered in time
   * - `deferred`: the answer comes later, see {@link AuthorizeOptions.defer}
   */
  readonly answeredBy: 'rules' | 'user' | 'automation' | 'nobody' | 'timeout' | 'deferred'
  /** Name of whoever answered, where it has one. */
  readonly by?: string
  readonly reason: string
  readonly modelReason: string
  /** How long the question was open. 0 without one. */
  readonly waitMs: number
  /** The input that was allowed, if whoever answered has changed it. */
  readonly updatedInput?: { readonly by: string; readonly input: JsonObject }
  /** For the user, for example that a hook's allow was overruled. */
  readonly notices: readonly Attributed[]
}

/** A call with the tool that it is for. */
export interface AuthorizeRequest {
  readonly call: ToolCall
  readonly tool: ToolInfo
}
