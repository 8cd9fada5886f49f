import type { BackgroundWork, TaskState } from '@ext/kernel/contract'
import type { AgentContext, RunContext, SessionState } from '../run-context.js'
import type { RunEventFields, RunEventType } from '../run-events.js'
import { runKey } from '../run-key.js'
import type { Journal } from '../sessions/journal.js'
import { taskId } from './ids.js'
import { TaskOutput } from './output.js'

/** Work in the background of a session. */
export interface Task {
  readonly id: string
  readonly kind: BackgroundWork['kind']
  readonly subject: string
  /** The conversation that has started it, and is told of its end. */
  readonly owner: SessionState
  readonly output: TaskOutput
  readonly startedMs: number
  /** Ends the work. */
  readonly work: AbortController
  /** Ends the hooks that are told of its end. */
  readonly hooks: AbortController
  state: TaskState
  endedMs: number | undefined
  /** How it ended, in a few words. */
  how: string
  /** Settles once it has ended and hooks have been told. */
  done: Promise<void>
}

/** Events that wait for a run that tells them. */
const MOST_UNTOLD = 1000
const PIECES: ReadonlySet<RunEventType> = new Set(['text', 'reasoning', 'progress'])

type Emit = RunContext['emit']

/** The tasks of a session and its sub-agents. */
export class Tasks {
  readonly #journal: Pick<Journal, 'write' | 'reached'> | undefined
  readonly #all = new Map<string, Task>()
  #last = 0
  #untold: ((emit: Emit) => void)[] = []
  #lost = 0
  closed = false

  /** @param journal of the session: what a sub-agent has taken is known there as well, however its process ends */
  constructor(journal: Pick<Journal, 'write' | 'reached'> | undefined) {
    this.#journal = journal
  }

  /** The highest number that an id has. */
  get last(): number {
    return this.#last
  }

  /** Ids go on where those of an ended process have ended. */
  goOnFrom(last: number): void {
    this.#last = Math.max(this.#last, last)
  }

  /** Ids go on where those of the session end that this one is a copy of: its conversation names them. */
  goOnFromCopy(last: number): void {
    if (last > this.#last) this.#take(last, '')
  }

  /** Settles once the ids that are given away can't be lost with this process; `undefined` if they can't now. */
  idsKept(signal: AbortSignal): Promise<void> | undefined {
    return this.#journal?.reached(signal)
  }

  #take(number: number, subject: string): string {
    this.#last = number
    const id = taskId(number)
    this.#journal?.write('task', { task: id, subject, taken: true })
    return id
  }

  /** A place for a task, taken in one step, so that a limit holds. Nobody else ever gets its id, whatever becomes of it. */
  add(run: RunContext, { kind, subject }: BackgroundWork): Task {
    const id = this.#take(this.#last + 1, subject)
    const { session, agent } = run
    const task: Task = {
      id,
      kind,
      subject,
      owner: session,
      output: new TaskOutput(() => agent.tasks?.files?.open(session.ref, id)),
      startedMs: agent.clock.now(),
      work: new AbortController(),
      hooks: new AbortController(),
      state: 'running',
      endedMs: undefined,
      how: '',
      done: Promise.resolve(),
    }
    this.#all.set(id, task)
    return task
  }

  remove({ id }: Task): void {
    this.#all.delete(id)
  }

  /** Of all conversations of the session, in the order in which they were begun. */
  get all(): readonly Task[] {
    return [...this.#all.values()]
  }

  get running(): readonly Task[] {
    return this.all.filter(({ state }) => state === 'running')
  }

  of(owner: SessionState): readonly Task[] {
    return this.all.filter((task) => task.owner === owner)
  }

  /** Tells an event in the run that is under way, or keeps it for the next one. */
  tell<T extends RunEventType>(agent: AgentContext, owner: SessionState, type: T, fields: RunEventFields[T]): void {
    // What happens before its session is told with the first run, behind the beginning of the session.
    const run = owner.started ? agent.active.get(runKey(owner.ref)) : undefined
    if (run) run.emit(type, fields)
    if (run || this.closed || PIECES.has(type)) return
    if (this.#untold.length === MOST_UNTOLD) {
      this.#untold.shift()
      this.#lost++
    }
    this.#untold.push((emit) => emit(type, fields))
  }

  /** Tells what happened while there was no run. */
  catchUp(emit: Emit): void {
    if (this.#untold.length === 0) return
    const waiting = this.#untold
    this.#untold = []
    if (this.#lost > 0) emit('dropped', { count: this.#lost })
    this.#lost = 0
    for (const each of waiting) each(emit)
  }
}
