import { type HookStats, summarizeLedger } from '@ext/hooks'
import { readLedger } from '../../hook-ledger.js'
import type { Io } from '../../io.js'
import { shorten } from '../../render/diagnostics.js'
import { count, oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'

export interface StatsOptions {
  readonly project: string
  readonly json?: boolean
}

/** What the hooks of a project have done in all runs so far. */
export async function stats(options: StatsOptions, io: Io): Promise<number> {
  return withExtensions({ project: options.project }, io, async (extensions) => {
    const { hooks: engine, locations } = extensions
    const summary = summarizeLedger(await readLedger(locations.hookLedger), engine.list())
    if (options.json) {
      io.out(JSON.stringify({ ledger: locations.hookLedger, ...summary }, null, 2))
      return 0
    }
    const { hooks, neverFired, alwaysFailing } = summary
    const rows = [HEADER, ...hooks.map(describeStats)]
    const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
    for (const row of rows) {
      const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
      io.out(printable(line.trimEnd()))
    }
    io.out('')
    if (neverFired.length > 0) io.out(printable(`never fired: ${neverFired.join(', ')}`))
    if (alwaysFailing.length > 0) io.out(printable(`always failing: ${alwaysFailing.join(', ')}`))
    io.out(printable(`${count(hooks.length, 'hook')}, from ${shorten(locations.project)(locations.hookLedger)}`))
    return 0
  })
}

const HEADER = ['hook', 'event', 'runs', 'blocked', 'failed', 'exit codes', 'p50', 'p95']

function describeStats({
  hook,
  event,
  matched,
  blocked,
  failed,
  exitCodes,
  p50Ms,
  p95Ms,
}: HookStats): readonly string[] {
  const codes = Object.entries(exitCodes).map(([code, times]) => `${code}: ${times}`)
  const time = (ms: number | undefined) => (ms === undefined ? '-' : `${Math.round(ms)} ms`)
  const counts = [matched, blocked, failed].map(String)
  return [oneLine(hook, 40), event, ...counts, codes.join(', ') || '-', time(p50Ms), time(p95Ms)]
}
