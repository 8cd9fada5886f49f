import type { ModelEffort } from './conversation.js'

/**
 * On what terms the calls and the model of a run work besides the rules: what somebody brings who is active in it, such
 * as a skill. Rules are texts of the rule language, such as `Read` or `Bash(git add *)`.
 */
export interface RunTerms {
  /** Whose they are, for people: `skill deploy`. */
  readonly by: string
  /**
   * Calls that are allowed for the rest of the run, as an allow rule would. They make nothing milder than that: deny and
   * ask rules, the mode, critical operations, and the borders of the workspace stand as they are.
   */
  readonly grants?: readonly string[]
  /**
   * The only calls that are to be had, whoever asks and whatever anybody answers. An empty list is none. Tools of the
   * agent itself (`system`) stay.
   */
  readonly restrict?: readonly string[]
  /** Calls that are not to be had, whoever asks and whatever anybody answers. */
  readonly disallowed?: readonly string[]
  /** Name of the model for the rest of the run. */
  readonly model?: string
  /** For the rest of the run. */
  readonly effort?: ModelEffort
}
