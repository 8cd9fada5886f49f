import { messageOf } from '@ext/kernel'
import type { RunContext } from '../run-context.js'
import { readChildLog } from '../sessions/child-log.js'
import { type LostTask, lostTasks } from '../sessions/lost-tasks.js'
import { readKept } from '../sessions/restore.js'
import type { KeptAgent, Restored } from '../sessions/restored.js'
import type { SessionWriter } from '../sessions/store.js'

/** A sub-agent whose process was ended, as its log has it. */
export interface KeptChild {
  readonly restored: Restored
  readonly remarks: readonly string[]
  /** What it had in its own background. */
  readonly lost: readonly LostTask[]
  readonly writer: SessionWriter
  /** Of its log. */
  readonly version: number
}

export type TakenUp =
  | { readonly kept: KeptChild; readonly problem?: undefined }
  | { readonly kept?: undefined; readonly problem: string }

/**
 * Takes a sub-agent up that was at work when its process ended. One whose log is not whole can't be: what it did behind
 * the place where the log ends would be done twice.
 */
export async function takeUp({ agent, session }: RunContext, { log }: KeptAgent, call: string): Promise<TakenUp> {
  const { store } = agent
  const { problem } = await readChildLog(store, log, { session: session.logId, call })
  if (!store || problem !== undefined) return { problem: problem ?? 'nothing is kept any more.' }
  try {
    const opened = await store.open(log)
    const { restored, remarks } = readKept(opened)
    const lost = await lostTasks(agent, log, restored)
    return { kept: { restored, remarks, lost, writer: opened.writer, version: opened.header.version } }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** What it said last, where it had come to its end and only its starter had not heard of it. */
export function lastWords({ messages }: Pick<Restored, 'messages'>): string {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.text : ''
}
