import { formatDiagnostic, hasErrors, messageOf } from '@ext/kernel'
import type { KeptSession, SessionStore } from './store.js'

/** What started a sub-agent. */
export type ChildStarter = { readonly session: string } & (
  | { readonly call: string; readonly task?: undefined }
  | { readonly task: string; readonly call?: undefined }
)

export type ChildLog =
  | { readonly kept: KeptSession; readonly problem?: undefined }
  | { readonly kept?: undefined; readonly problem: string }

/**
 * The log of a sub-agent whose process was ended, if it is the one that it should be and whole: otherwise it would say that
 * less was done than was. Never rejects.
 */
export async function readChildLog(
  store: SessionStore | undefined,
  log: string,
  { session, call, task }: ChildStarter,
): Promise<ChildLog> {
  try {
    const kept = await store?.read(log)
    if (!kept) return { problem: 'nothing is kept any more.' }
    const { header, diagnostics } = kept
    const { parent } = header
    if (parent?.session !== session || (call === undefined ? parent.task !== task : parent.call !== call)) {
      return { problem: `the log ${log} is not that of this ${call === undefined ? 'task' : 'call'}.` }
    }
    if (hasErrors(diagnostics)) return { problem: diagnostics.map((each) => formatDiagnostic(each)).join(' ') }
    return { kept }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
