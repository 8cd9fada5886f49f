import type { AuditRecord } from '@ext/agent-core/types'
import type { Io } from '../../io.js'
import { count, oneLine, printable, singleLine } from '../../render/words.js'
import { findRecords, type RecordFilter } from './records.js'

export interface StatsOptions extends RecordFilter {
  readonly json?: boolean
}

interface ToolStats {
  readonly tool: string
  /** Absent for a tool of the agent itself, and for one that there is not. */
  readonly server?: string
  readonly calls: number
  readonly denied: number
  readonly blocked: number
  /** Ran, and did not succeed. */
  readonly failed: number
  /** Why calls failed where they were run, such as `timeout`, with how many did. */
  readonly causes: Counts
  /** How often calls were sent again there. */
  readonly retries: number
  /** How long they waited there for their turn. */
  readonly queueP95Ms: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly resultBytes: number
}

type Counts = Readonly<Record<string, number>>

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
  const agents = countEach(records.flatMap(({ agent_type }) => agent_type ?? []))
  const blockedBy = countEach(records.flatMap(({ hook_blocks }) => hook_blocks))
  if (json) {
    io.out(JSON.stringify({ calls: records.length, sessions, tools, agents, blockedBy }, null, 2))
    return 0
  }
  const rows = [HEADER, ...tools.map(rowOf)]
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
    io.out(printable(line.trimEnd()))
  }
  io.out(`${count(records.length, 'call')} in ${count(sessions, 'session')}`)
  for (const [what, counts] of [
    ['calls of agents', agents],
    ['blocked by hooks', blockedBy],
  ] as const) {
    if (Object.keys(counts).length > 0) io.out(printable(`${what}: ${describeCounts(counts)}`))
  }
  return 0
}

const HEADER = [
  ...['tool', 'server', 'calls', 'denied', 'blocked', 'failed', 'causes'],
  ...['retries', 'queue p95', 'p50', 'p95', 'bytes'],
]

function rowOf(stats: ToolStats): readonly string[] {
  const { tool, server = '-', calls, denied, blocked, failed, causes, retries, resultBytes } = stats
  const ms = (time: number) => `${Math.round(time)} ms`
  return [
    ...[
      singleLine(tool),
      singleLine(server),
      ...[calls, denied, blocked, failed].map(String),
      describeCounts(causes) || '-',
    ],
    ...[String(retries), ms(stats.queueP95Ms), ms(stats.p50Ms), ms(stats.p95Ms), String(resultBytes)],
  ]
}

function describeCounts(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, times]) => `${oneLine(name, 40)} ${times}`)
    .join(', ')
}

function countEach(names: readonly string[]): Counts {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(counts)
}

function sumUp(tool: string, records: readonly AuditRecord[]): ToolStats {
  const ended = (kinds: readonly string[]) =>
    records.filter(({ error_kind }) => kinds.includes(error_kind ?? '')).length
  // What did not run has no time.
  const times = records
    .filter(({ is_error, duration_ms }) => !is_error || duration_ms > 0)
    .map(({ duration_ms }) => duration_ms)
  const sources = records.flatMap(({ source }) => source ?? [])
  const server = records.find((record) => record.server !== undefined)?.server
  return {
    tool,
    ...(server === undefined ? {} : { server }),
    calls: records.length,
    denied: ended(['denied']),
    blocked: ended(['blocked']),
    failed: ended(['crashed', 'timeout', 'remote', 'aborted']),
    causes: countEach(sources.flatMap(({ kind }) => kind ?? [])),
    retries: sources.reduce((sum, { retries }) => sum + retries, 0),
    queueP95Ms: share(
      sources.map(({ queue_ms }) => queue_ms),
      0.95,
    ),
    p50Ms: share(times, 0.5),
    p95Ms: share(times, 0.95),
    resultBytes: records.reduce((sum, { result_bytes }) => sum + result_bytes, 0),
  }
}

/** So many of them take no longer. */
function share(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
