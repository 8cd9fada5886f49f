import { type Diagnostic, hasErrors } from '@ext/kernel'
import type { Io } from '../../io.js'
import { describeDiagnostics } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { oneLine, printable } from '../../render/words.js'
import { entriesOf } from './describe.js'
import { readSession, type SessionsOptions } from './open.js'
import type { WholeSession } from './sub-agents.js'

/** What was said and done in a session, a line each. */
export async function show(wanted: string, options: SessionsOptions, io: Io): Promise<number> {
  const session = await readSession(wanted, options, io)
  if (!session) return 2
  const { header, place } = session
  const diagnostics = diagnosticsOf(session)
  const entries = entriesOf(session)
  const code = hasErrors(diagnostics) ? 1 : 0
  if (options.json) {
    io.out(JSON.stringify({ ...header, place, entries, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
    return code
  }
  io.out(
    printable(
      `${header.id}  ${header.cwd}  ${header.permissionMode}  since ${header.at.slice(0, 16).replace('T', ' ')}`,
    ),
  )
  const { parent } = header
  if (parent) io.out(printable(`the sub-agent ${parent.name} of ${parent.session}`))
  for (const { who, tool, agent, text } of entries) {
    const before = `${agent === undefined ? '' : `${agent} › `}${tool === undefined ? '' : `${tool} `}`
    io.out(printable(`${who.padEnd(9)}${before}${oneLine(text, 300)}`))
  }
  for (const text of await describeDiagnostics(diagnostics, (each) => each)) io.err(text)
  io.out(printable(place ?? ''))
  return code
}

/** Of the log and of those of its sub-agents. */
function diagnosticsOf({ diagnostics, agents }: WholeSession): readonly Diagnostic[] {
  return [...diagnostics, ...[...agents.values()].flatMap(({ session }) => (session ? diagnosticsOf(session) : []))]
}
