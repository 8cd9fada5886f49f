import type { SessionRef } from '@ext/kernel/contract'

/** Keeps the output of tasks that is too long for memory. */
export interface TaskFiles {
  /** Called for a task whose output is too long. A throw costs what does not fit into memory, which the model is told. */
  open(session: SessionRef, task: string): TaskFile
}

export interface TaskFile {
  /** For the model, which may read it as any other file. */
  readonly path: string
  /** Behind what is there. A throw ends the keeping. */
  write(text: string): void
  close(): void
}
