import type { RememberedRule } from '@ext/permission'
import { showRules } from '../../commands/permissions/list.js'
import { count, indent, oneLine, printable } from '../../render/words.js'
import type { Host } from './table.js'

/** The rules of files and of the command line, and apart from them those that this session alone remembers. */
export async function showPermissions({ extensions, talk, io }: Host): Promise<void> {
  const { permission, remembered } = extensions
  await showRules(extensions, {}, io)
  // What was written to a file as well is above, once it counts there.
  const written = permission.snapshot.entries.flatMap(({ value }) =>
    value.kind === 'rule' && value.effect === 'allow' && value.expiresAt === undefined ? [value.rule.text] : [],
  )
  const only = (talk ? remembered(talk.session) : []).filter(({ rule }) => !written.includes(rule))
  io.out('')
  if (only.length === 0) return io.out('Nothing else is allowed in this session.')
  io.out('In this session only:')
  for (const each of only) for (const line of describe(each)) io.out(printable(indent(line)))
  io.out(`${count(only.length, 'rule')}, until the session ends`)
}

/** The rule, what it allows, and how it came about. */
function describe({ rule, alsoAllows, by, at, call }: RememberedRule): readonly string[] {
  // As the clock on the wall shows it.
  const when = new Date(at).toTimeString().slice(0, 5)
  const who = by === 'user' ? 'You' : by
  return [
    `allow  ${oneLine(rule)}`,
    `       ${oneLine(alsoAllows, 300)}`,
    `       ${who} said yes at ${when}, to ${oneLine(`${call.name} ${JSON.stringify(call.input)}`)}`,
  ]
}
