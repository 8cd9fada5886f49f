import { closeSync, constants, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LedgerPort, LedgerRecord } from '@ext/hooks'
import { isMap } from '@ext/kernel'
import { nodeFiles } from '@ext/kernel/node'

/** A full file becomes the one before it, so that both together never hold more than twice this. */
const MAX_BYTES = 4 * 1024 * 1024

/** Never through a link: what it leads to is somebody else's. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW

/** Writes runs of hooks down, one JSON object a line, for the eyes of the person alone. */
export function fileLedger(path: string): LedgerPort {
  return {
    write(record) {
      const line = `${JSON.stringify(record)}\n`
      const size = sizeOf(path)
      if (size === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      else if (size + line.length > MAX_BYTES) renameSync(path, olderFile(path))
      const file = openSync(path, APPEND, 0o600)
      try {
        // In one write, so that lines of several processes do not mix.
        writeSync(file, line)
      } finally {
        closeSync(file)
      }
    },
  }
}

/** The runs that have been written down, oldest first. Lines that can't be read are left out. */
export async function readLedger(path: string): Promise<readonly LedgerRecord[]> {
  const files = nodeFiles()
  const reads = [olderFile(path), path].map((file) => files.readText(file, { maxBytes: 2 * MAX_BYTES }))
  const texts = (await Promise.all(reads)).map(({ text = '' }) => text)
  return texts.flatMap((text) => text.split('\n')).flatMap((line) => parse(line) ?? [])
}

function olderFile(path: string): string {
  return path.replace(/\.jsonl$/, '.1.jsonl')
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
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
