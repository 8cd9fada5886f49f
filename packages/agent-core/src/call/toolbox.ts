import { suggest } from '@ext/kernel'
import type { Tool } from '@ext/kernel/contract'
import type { ToolSpec } from '../types.js'

/** The tools of one turn. Immutable; a new one is made when a source gives another list. */
export interface Toolbox {
  /** What the model is told, sorted by name so that a prompt cache can hold it. */
  readonly specs: readonly ToolSpec[]
  /** Names that more than one source gave. */
  readonly duplicates: readonly string[]
  find(name: string): Tool | undefined
  /** Tells the model that there is no such tool, and which one it may have meant. */
  missing(name: string): string
  /** Whether it was made from these very tools. */
  isOf(lists: readonly (readonly Tool[])[]): boolean
}

/**
 * @param lists the first tool of a name wins
 * @param allows the others do not exist here
 */
export function createToolbox(lists: readonly (readonly Tool[])[], allows: (tool: Tool) => boolean): Toolbox {
  const byName = new Map<string, Tool>()
  const duplicates = new Set<string>()
  const tools = lists.flat()
  for (const tool of tools) {
    if (!allows(tool)) continue
    if (byName.has(tool.name)) duplicates.add(tool.name)
    else byName.set(tool.name, tool)
  }
  const names = [...byName.keys()].sort()
  return {
    specs: [...byName.values()]
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    duplicates: [...duplicates],
    find: (name) => byName.get(name),
    missing(name) {
      const meant = suggest(name, names)
      if (meant !== undefined) return `There is no tool ${name}. Did you mean ${meant}?`
      return `There is no tool ${name}. ${names.length === 0 ? 'There are none at all.' : `There are: ${names.join(', ')}.`}`
    },
    isOf: (others) => isSame(tools, others.flat()),
  }
}

function isSame(tools: readonly Tool[], others: readonly Tool[]): boolean {
  return tools.length === others.length && tools.every((tool, index) => tool === others[index])
}
