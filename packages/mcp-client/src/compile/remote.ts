import { joinPointer } from '@ext/kernel'
import type { Remote } from '../compiled.js'
import type { HttpEntry } from '../config/entry.js'
import type { Notes } from '../config/notes.js'
import type { Variables } from './variables.js'

/** What is reached: an address, with which headers. */
export function remote(entry: HttpEntry, variables: Variables, notes: Notes): Remote {
  const expands = entry.expandUrl || variables.claude
  const url = expands ? variables.fill('/url', entry.url) : variables.keep('/url', entry.url)
  const headers = Object.entries(entry.headers).map(
    ([name, value]) => [name, variables.fill(joinPointer('/headers', name), value)] as const,
  )
  void notes
  return { kind: 'http', url, headers: Object.fromEntries(headers), form: entry.form, listen: entry.listen }
}
