import type { Io } from '../../io.js'
import { printable, singleLine } from '../../render/words.js'
import { describeRecord } from './describe.js'
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
  for (const record of shown) {
    if (json) io.out(JSON.stringify(record))
    else for (const line of describeRecord(record)) io.out(printable(singleLine(line)))
  }
  if (shown.length === 0 && !json) io.out('No such calls have been written down.')
  return 0
}
