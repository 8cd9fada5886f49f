import type { Diagnostic } from '@ext/kernel'
import { nodeHash } from '@ext/kernel/node'
import { type Approval, describeSubject, type Pending, type Terms, type Trust } from '@ext/kernel/trust'
import type { Io } from '../../io.js'
import { printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'

/** What is approved and what waits in a project. Nothing runs. */
export interface ProjectTrust {
  readonly trust: Trust
  readonly pending: readonly Pending[]
  readonly approved: readonly Approval[]
  readonly diagnostics: readonly Diagnostic[]
}

export async function projectTrust(project: string, io: Io): Promise<ProjectTrust> {
  return withExtensions({ project }, io, async ({ trust, locations, unapproved }) => {
    const root = nodeHash().realPath(locations.project) ?? locations.project
    // The same thing may stand in two files; it is agreed to once.
    const pending = [...new Map(trust.pending(await unapproved()).map((each) => [each.hash, each])).values()]
    const approved = trust.list().filter((approval) => approval.root === root)
    return { trust, pending, approved, diagnostics: trust.diagnostics }
  })
}

/** All of it, however long: nobody can consent to what is not shown. */
export function describePending(pending: Pending): readonly string[] {
  const changed = pending.changes.map(({ field, before, after }) => {
    const how = before === undefined ? 'new' : after === undefined ? 'gone' : `was ${before}`
    return `  changed: ${field} (${how})`
  })
  const problems = pending.problems.map(({ path, message }) => `  can not be approved: ${path}: ${message}`)
  return [...describeTerms(pending), ...[...changed, ...problems].map(printable)]
}

export function describeTerms(terms: Terms): readonly string[] {
  return describeSubject(terms).map((line) => printable(`  ${line}`))
}

/** Without the subject, which only this process has a use for. */
export function toJson({ subject: _, ...shown }: Pending): Omit<Pending, 'subject'> {
  return shown
}
