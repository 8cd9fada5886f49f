import { isMap } from '@ext/kernel'
import { type LineFileOptions, lineFile } from '@ext/kernel/node'
import type { AuditRecord, AuditSink } from '../audit.js'

/** What is kept: 80 MiB at most. */
const KEPT: Required<LineFileOptions> = { maxBytes: 16 * 1024 * 1024, older: 4 }

/** Records of tool calls in a file. */
export interface AuditFile extends AuditSink {
  write(record: AuditRecord): void
  /** What has been kept, oldest first. Lines that can't be read are left out. */
  read(): Promise<readonly AuditRecord[]>
}

/**
 * Keeps a record of each tool call, one JSON object a line, for the eyes of the person alone. The file is appended to and
 * never changed; a full one becomes `audit.1.jsonl`, and four such are kept. Several processes may write to it. What can't
 * be written costs the record and never the run, which says so once. Files of it that others may read are given the mode
 * 0600 before the first record; where that can't be done, none is written.
 * @param path absolute
 */
export function auditFile(path: string, options: LineFileOptions = {}): AuditFile {
  const file = lineFile(path, { ...KEPT, ...options })
  return {
    write: (record) => file.append(JSON.stringify(record)),
    read: async () => (await file.read()).flatMap((line) => parse(line) ?? []),
  }
}

function parse(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isRecord =
      isMap(value) &&
      ['ts', 'event', 'tool', 'session_id', 'args_redacted'].every((key) => typeof value[key] === 'string') &&
      ['duration_ms', 'result_bytes'].every((key) => typeof value[key] === 'number') &&
      Array.isArray(value['hook_blocks'])
    return isRecord ? (value as unknown as AuditRecord) : undefined
  } catch {
    return undefined
  }
}
