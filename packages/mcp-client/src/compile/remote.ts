import { joinPointer } from '@ext/kernel'
import type { Remote } from '../compiled.js'
import type { HttpEntry } from '../config/entry.js'
import { headerFault } from '../config/headers.js'
import type { Notes } from '../config/notes.js'
import { urlFault } from '../config/url.js'
import type { Variables } from './variables.js'

/** What is reached: an address, with which headers. What came out of variables is checked, and never shown. */
export function remote(entry: HttpEntry, variables: Variables, notes: Notes): Remote {
  const expands = entry.expandUrl || variables.claude
  const url = expands ? variables.fill('/url', entry.url) : variables.keep('/url', entry.url)
  const fault = entry.url.includes('${') ? urlFault(url) : undefined
  if (fault) {
    const what = url === entry.url ? '`url`' : '`url`, with its variables filled in,'
    notes.error('mcp.url.invalid', '/url', `${what} ${fault.problem}.`, fault.hint)
  }
  const headers = Object.entries(entry.headers).map(([name, value]) => {
    const pointer = joinPointer('/headers', name)
    const filled = variables.fill(pointer, value)
    const found = value.includes('${') ? headerFault(filled) : undefined
    if (found) {
      const message = `The header \`${name}\`, with its variables filled in, ${found.problem}.`
      notes.error('mcp.header.invalid', pointer, message, found.hint)
    }
    return [name, filled] as const
  })
  const { form, listen, protocol } = entry
  return { kind: 'http', url, headers: Object.fromEntries(headers), form, listen, protocol }
}
