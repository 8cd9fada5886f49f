import { homedir } from 'node:os'
import type { AuditRecord } from '@ext/agent-core/types'
import { locate } from '../../locations.js'

/** Which calls are meant. */
export interface RecordFilter {
  readonly tool?: string
  readonly server?: string
  readonly session?: string
  readonly since?: string
  readonly errors?: boolean
}

export type FoundRecords =
  | { readonly records: readonly AuditRecord[]; readonly problem?: undefined }
  | { readonly problem: string; readonly records?: undefined }

/** The calls of all projects that have been written down, oldest first. */
export async function findRecords({ tool, server, session, since, errors }: RecordFilter): Promise<FoundRecords> {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
  if (Number.isNaN(from)) return { problem: `\`${since}\` is no time. Write a day or a time as ISO 8601: 2026-01-31.` }
  const { auditFile } = await import('@ext/agent-core/node')
  const { audit } = locate('.', process.env, homedir())
  const records = (await auditFile(audit).read()).filter(
    (record) =>
      (tool === undefined || record.tool === tool) &&
      (server === undefined || record.server === server) &&
      (session === undefined || record.session_id === session) &&
      (errors !== true || record.is_error) &&
      Date.parse(record.ts) >= from,
  )
  return { records }
}
