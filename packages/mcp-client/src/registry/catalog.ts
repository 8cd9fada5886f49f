import { compareText, type Diagnostic } from '@ext/kernel'
import type { Tool } from '@ext/kernel/contract'
import { quarantine, type ToolOwner } from './tools.js'

export interface Catalog {
  readonly tools: readonly Tool[]
  readonly byName: ReadonlyMap<string, Tool>
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Joins the tools of all servers and our own into one list, sorted by name, whatever order they came in. Names are made so that no
 * two tools share one; should a hash ever be the same, the server that is first by name keeps it.
 */
export function buildCatalog(
  servers: readonly { readonly owner: ToolOwner; readonly tools: readonly Tool[] }[],
  own: readonly Tool[] = [],
): Catalog {
  const byName = new Map(own.map((tool) => [tool.name, tool]))
  const diagnostics: Diagnostic[] = []
  for (const { owner, tools } of servers.toSorted((a, b) => compareText(a.owner.name, b.owner.name))) {
    for (const tool of tools) {
      const holder = byName.get(tool.name)
      if (!holder) byName.set(tool.name, tool)
      else {
        const what = `The tool ${JSON.stringify(tool.source.tool)}`
        diagnostics.push(quarantine(owner, what, `${JSON.stringify(holder.source.tool)} has the same full name`))
      }
    }
  }
  const tools = [...byName.values()].sort((a, b) => compareText(a.name, b.name))
  return { tools: Object.freeze(tools), byName, diagnostics }
}
