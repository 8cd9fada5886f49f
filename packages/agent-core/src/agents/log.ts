import type { SessionRef } from '@ext/kernel/contract'
import type { RunContext, RunEnd } from '../run-context.js'
import { createJournal, type Journal } from '../sessions/journal.js'
import { LOG_VERSION, type ParentOfLog } from '../sessions/log.js'
import { until } from '../signals.js'
import type { ChildStart } from './child.js'

/** The log of a sub-agent, which is kept beside that of its session. */
export interface ChildLog {
  readonly id: string
  /** `undefined` where nothing is kept. */
  readonly journal: Journal | undefined
}

export function logIdOf({ id }: SessionRef, agentId: string): string {
  return `${id}.${agentId}`
}

/** Where a sub-agent is kept: in a log of its own where its starter is, which goes on with one that was taken up. */
export function childLog(parent: RunContext, start: ChildStart, ref: SessionRef): ChildLog {
  const { agent, session } = parent
  const id = logIdOf(ref, start.id)
  const { store, clock } = agent
  if (start.kept)
    return { id, journal: createJournal(clock, { writer: start.kept.writer, version: start.kept.version }) }
  if (!store || !session.journal) return { id, journal: undefined }
  const header = () =>
    ({
      type: 'session',
      version: LOG_VERSION,
      id,
      at: new Date(clock.now()).toISOString(),
      cwd: ref.cwd,
      permissionMode: ref.permissionMode,
      ...(ref.user === undefined ? {} : { user: ref.user }),
      parent: parentOf(parent, start),
    }) as const
  return { id, journal: createJournal(clock, { store, header }) }
}

function parentOf({ session }: RunContext, { id, definition, toolUseId, task }: ChildStart): ParentOfLog {
  return {
    session: session.logId,
    agent: id,
    name: definition.name,
    ...(toolUseId === undefined ? {} : { call: toolUseId }),
    ...(task === undefined ? {} : { task }),
  }
}

/** Begins to keep a sub-agent: its starter's log says where before anything is done. */
export async function beginChildLog(parent: RunContext, run: RunContext, start: ChildStart): Promise<void> {
  const { journal, logId } = run.session
  if (!journal) return
  journal.listen((text) => run.emit('notice', { text }))
  if (!start.kept) {
    const { session: _, ...fields } = parentOf(parent, start)
    parent.session.journal?.write('sub_agent', { log: logId, ...fields })
    await journal.begin(run.signal)
  }
  journal.write('run', { run: run.id })
}

/** What it was is safe, and nobody works on it any more, as far as the time of grace lasts after an abort. */
export async function endChildLog(run: RunContext, { reason }: RunEnd, turnsBefore: number): Promise<void> {
  const { session, turns, used, grace } = run
  const { journal } = session
  if (!journal) return
  const { inputTokens, outputTokens, costUsd } = used
  const usage = { inputTokens, outputTokens, ...(costUsd === undefined ? {} : { costUsd }) }
  // A turn that it has taken up and not brought to its end is somebody else's to bring there.
  if (!session.open) journal.write('end', { reason, turns: turns - turnsBefore, usage, pending: session.pending })
  await until(grace, journal.close()).catch(() => {})
}
