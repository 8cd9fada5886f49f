import type { AuditRecord } from '@ext/agent-core/types'
import type { Io } from '../../io.js'
import { count, printable } from '../../render/words.js'
import { findRecords, type RecordFilter } from './records.js'

export interface StatsOptions extends RecordFilter {
  readonly json?: boolean
}

interface ToolStats {
  readonly tool: string
  readonly calls: number
  readonly denied: number
  readonly blocked: number
  /** Ran, and did not succeed. */
  readonly failed: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly resultBytes: number
}

/** `ext audit stats`. */
export async function stats({ json, ...filter }: StatsOptions, io: Io): Promise<number> {
  const { records, problem } = await findRecords(filter)
  if (!records) {
    io.err(`ext: ${problem}`)
    return 2
  }
  const names = [...new Set(records.map(({ tool }) => tool))]
  const callsOf = (name: string) => records.filter(({ tool }) => tool === name)
  const tools = names.map((name) => sumUp(name, callsOf(name))).sort((a, b) => b.calls - a.calls)
  const sessions = new Set(records.map(({ session_id }) => session_id)).size
  if (json) {
    io.out(JSON.stringify({ calls: records.length, sessions, tools }, null, 2))
    return 0
  }
  const rows = [HEADER, ...tools.map(rowOf)]
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    io.out(
      printable(
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      ),
    )
  }
  io.out(`${count(records.length, 'call')} in ${count(sessions, 'session')}`)
  return 0
}

const HEADER = ['tool', 'calls', 'denied', 'blocked', 'failed', 'p50', 'p95', 'bytes']

function rowOf({ tool, calls, denied, blocked, failed, p50Ms, p95Ms, resultBytes }: ToolStats): readonly string[] {
  const times = [p50Ms, p95Ms].map((ms) => `${Math.round(ms)} ms`)
  return [tool, ...[calls, denied, blocked, failed].map(String), ...times, String(resultBytes)]
}

function sumUp(tool: string, records: readonly AuditRecord[]): ToolStats {
  const ended = (kinds: readonly string[]) =>
    records.filter(({ error_kind }) => kinds.includes(error_kind ?? '')).length
  // What did not run has no time.
  const times = records
    .filter(({ is_error, duration_ms }) => !is_error || duration_ms > 0)
    .map(({ duration_ms }) => duration_ms)
    .sort((a, b) => a - b)
  const share = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
  return {
    tool,
    calls: records.length,
    denied: ended(['denied']),
    blocked: ended(['blocked']),
    failed: ended(['crashed', 'timeout', 'remote', 'aborted']),
    p50Ms: share(0.5),
    p95Ms: share(0.95),
    resultBytes: records.reduce((sum, { result_bytes }) => sum + result_bytes, 0),
  }
}
