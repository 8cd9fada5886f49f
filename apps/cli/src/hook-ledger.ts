import type { LedgerPort, LedgerRecord } from '@ext/hooks'
import { isMap } from '@ext/kernel'
import { lineFile } from '@ext/kernel/node'

/** Writes runs of hooks down, one JSON object a line, for the eyes of the person alone. */
export function fileLedger(path: string): LedgerPort {
  const file = lineFile(path)
  return { write: (record) => file.append(JSON.stringify(record)) }
}

/** The runs that have been written down, oldest first. Lines that can't be read are left out. */
export async function readLedger(path: string): Promise<readonly LedgerRecord[]> {
  return (await lineFile(path).read()).flatMap((line) => parse(line) ?? [])
}

/** Written by {@link fileLedger}, or by something else that came to the same file. */
function parse(line: string): LedgerRecord | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isRecord = isMap(value) && typeof value['id'] === 'string' && Array.isArray(value['effects'])
    return isRecord ? (value as unknown as LedgerRecord) : undefined
  } catch {
    return undefined
  }
}
