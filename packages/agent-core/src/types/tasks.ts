import type { BackgroundWork, TaskState } from '@ext/kernel/contract'

/** What runs or ran in the background of a session, for its host. The model has tools of its own for what it has started. */
export interface SessionTasks {
  /** In the order in which they were begun, those of sub-agents included. Empty after `clear` and `resume`. */
  list(): readonly TaskInfo[]
  /**
   * The end of what a task has put out so far, as far as it is kept; the model is shown it all the same.
   * Throws `agent-core.task.unknown` for an id that there is not.
   * @param options.most characters, from 1 up; default 32,000
   */
  output(id: string, options?: { readonly most?: number }): string
  /**
   * Stops a task, and waits for its end, five seconds at most: what it is then is in the answer. One that has ended stays as
   * it was. The model is told with its next message. Rejects with `agent-core.task.unknown` for an id that there is not.
   */
  stop(id: string): Promise<TaskInfo>
}

/** A task as it stands. */
export interface TaskInfo {
  /** Such as `task-1`. */
  readonly id: string
  readonly kind: BackgroundWork['kind']
  readonly subject: string
  readonly state: TaskState
  /** How it ended, in a few words; empty while it runs. */
  readonly how: string
  /** ISO 8601. */
  readonly startedAt: string
  /** Until its end, or until now. */
  readonly durationMs: number
  /** Characters that it has put out. */
  readonly characters: number
  /** The sub-agent that has started it; absent for the main conversation. */
  readonly agent?: { readonly id: string; readonly type: string }
}
