import type { AuditRecord } from '@ext/agent-core/types'
import type { Io } from '../../io.js'
import { oneLine, printable } from '../../render/words.js'
import { findRecords, type RecordFilter } from './records.js'

export interface QueryOptions extends RecordFilter {
  /** The newest so many. Default: all. */
  readonly lines?: number
  readonly json?: boolean
}

/** `ext audit tail` and `ext audit query`. */
export async function query({ lines, json, ...filter }: QueryOptions, io: Io): Promise<number> {
  const { records, problem } = await findRecords(filter)
  if (!records) {
    io.err(`ext: ${problem}`)
    return 2
  }
  const shown = lines === undefined ? records : records.slice(-lines)
  for (const record of shown) io.out(json ? JSON.stringify(record) : printable(describeRecord(record)))
  if (shown.length === 0 && !json) io.out('No such calls have been written down.')
  return 0
}

function describeRecord(record: AuditRecord): string {
  const { ts, session_id, agent_id, tool, server, permission, is_error, error_kind, duration_ms, args_redacted } =
    record
  const who = `${session_id.slice(0, 8)}${agent_id === undefined ? '' : `/${agent_id.slice(0, 8)}`}`
  const outcome = is_error ? (error_kind ?? 'failed') : 'ok'
  const decided = permission ? `${permission.behavior} by ${permission.decided_by.layer}` : 'not asked'
  const name = server === undefined ? tool : `${tool} (${server})`
  return [ts, who, name, outcome, decided, `${Math.round(duration_ms)} ms`, oneLine(args_redacted, 80)].join('  ')
}
