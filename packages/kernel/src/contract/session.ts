/** `default` asks; `acceptEdits` lets edits pass; `plan` only reads; `dontAsk` turns ask into deny; `bypassPermissions` asks nothing but critical things. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'

/** Who is talking. One process serves many sessions; every engine keeps its state per session. */
export interface SessionRef {
  /** Never empty. */
  readonly id: string
  readonly cwd: string
  readonly origin: 'main' | 'agent' | 'hook'
  readonly permissionMode: PermissionMode
  readonly user?: string
  /** The file in which it is kept; absent where it is not. */
  readonly transcriptPath?: string
  /**
   * Which agent it is that is described somewhere: a sub-agent of the session, or without an `id` the one to which the main
   * conversation was handed over. Absent for the agent with which a session begins.
   */
  readonly agent?: { readonly id?: string; readonly type: string }
}
