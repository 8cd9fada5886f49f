import { compareText, isMap, messageOf, suggest } from '@ext/kernel'
import type { JsonObject, Tool } from '@ext/kernel/contract'
import { receive } from '../json.js'
import { whenRejected } from '../signals.js'
import type { ToolSpec } from '../types.js'

/** The tools of one turn. Immutable; a new one is made when a source gives another list. */
export interface Toolbox {
  /** What the model is told, sorted by name so that a prompt cache can hold it. */
  readonly specs: readonly ToolSpec[]
  /** What there is to say about the tools. */
  readonly remarks: readonly string[]
  find(name: string): Tool | undefined
  /** Tells the model that there is no such tool, and which one it may have meant. */
  missing(name: string): string
  /** Whether it was made from these very tools. */
  isOf(lists: readonly (readonly Tool[])[]): boolean
}

/**
 * @param lists the first tool of a name wins
 * @param allows the others do not exist here, and give their names to nobody
 * @param unlisted gives a tool that is in no list; a throw is none, and the model is told
 */
export function createToolbox(
  lists: readonly (readonly Tool[])[],
  allows: (tool: Tool) => boolean,
  unlisted: (name: string) => Tool | undefined = () => undefined,
): Toolbox {
  const tools = lists.flat()
  const byName = new Map<string, Entry>()
  const remarks = new Set<string>()
  for (const tool of tools) {
    const entry = entryOf(tool)
    if (typeof entry === 'string') remarks.add(entry)
    else if (byName.has(tool.name)) remarks.add(`Several tools are called ${tool.name}; the first one is used.`)
    else byName.set(tool.name, entry)
  }
  const taken = new Set(byName.keys())
  for (const [name, { tool }] of byName) if (!allows(tool)) byName.delete(name)
  const findUnlisted = (name: string): { readonly tool?: Tool; readonly problem?: string } => {
    if (taken.has(name)) return {}
    try {
      const tool = unlisted(name)
      if (tool === undefined) return {}
      whenRejected(tool, () => {})
      const entry = entryOf(tool)
      if (typeof entry === 'string') return { problem: entry }
      return tool.name === name && allows(tool) ? { tool } : {}
    } catch (error) {
      return { problem: `An extension failed when it was asked for it: ${messageOf(error)}` }
    }
  }
  const names = [...byName.keys()].sort()
  return {
    specs: Object.freeze([...byName.values()].map(({ spec }) => spec).sort((a, b) => compareText(a.name, b.name))),
    remarks: [...remarks],
    find: (name) => byName.get(name)?.tool ?? findUnlisted(name).tool,
    missing(name) {
      const { problem } = findUnlisted(name)
      if (problem !== undefined) return `There is no tool ${name}. ${problem}`
      const meant = suggest(name, names)
      if (meant !== undefined) return `There is no tool ${name}. Did you mean ${meant}?`
      return `There is no tool ${name}. ${names.length === 0 ? 'There are none at all.' : `There are: ${names.join(', ')}.`}`
    },
    isOf: (others) => isSame(tools, others.flat()),
  }
}

interface Entry {
  readonly tool: Tool
  readonly spec: ToolSpec
}

/** A tool with what hooks and the model see of it, or what is wrong with it: a host in plain JavaScript can give anything. */
function entryOf(tool: Tool): Entry | string {
  if (!isMap(tool) || typeof tool.name !== 'string' || tool.name === '') return 'A tool without a name is left out.'
  const { name, description, inputSchema, modelSchema = inputSchema, annotations, source, kind, run } = tool
  const isWhole = [inputSchema, annotations, source].every(isMap) && typeof run === 'function'
  if (!isWhole || typeof description !== 'string' || typeof kind !== 'string') {
    return `The tool ${name} is left out: it needs description, kind, inputSchema, annotations, source and run.`
  }
  const { value, problem } = receive(modelSchema)
  if (problem !== undefined || !isMap(value)) {
    const field = modelSchema === inputSchema ? 'inputSchema' : 'modelSchema'
    return `The tool ${name} is left out: its ${field} ${problem ?? 'is no map'}.`
  }
  return { tool, spec: Object.freeze({ name, description, inputSchema: value as JsonObject }) }
}

function isSame(tools: readonly Tool[], others: readonly Tool[]): boolean {
  return tools.length === others.length && tools.every((tool, index) => tool === others[index])
}
