import type { Io } from '../../io.js'
import { describeDiagnostics } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { describePending, describeTerms, projectTrust, toJson } from './waiting.js'

export interface ListOptions {
  readonly project: string
  readonly json?: boolean
}

/** Exits with 1 if the store of approvals can't be believed. */
export async function list({ project, json }: ListOptions, io: Io): Promise<number> {
  const { pending, approved, diagnostics } = await projectTrust(project, io)
  const isBroken = diagnostics.some(({ severity }) => severity === 'error')
  if (json) {
    io.out(
      JSON.stringify({ pending: pending.map(toJson), approved, diagnostics: jsonDiagnostics(diagnostics) }, null, 2),
    )
    return isBroken ? 1 : 0
  }
  for (const approval of approved) {
    io.out(`approved on ${approval.approvedAt}`)
    for (const line of describeTerms(approval)) io.out(line)
    io.out('')
  }
  for (const each of pending) {
    io.out(each.reason === 'changed' ? 'waits: it has changed since it was approved' : 'waits')
    for (const line of describePending(each)) io.out(line)
    io.out('')
  }
  const relevant = diagnostics.filter(({ severity }) => severity !== 'info')
  for (const text of await describeDiagnostics(relevant, (place) => place)) io.out(`${text}\n`)
  io.out(`${approved.length} approved, ${pending.length} waiting`)
  if (pending.length > 0) io.out('Approve what you have read with ext trust approve.')
  return isBroken ? 1 : 0
}
