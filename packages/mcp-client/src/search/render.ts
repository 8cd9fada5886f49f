import { isMap } from '@ext/kernel'
import type { Tool } from '@ext/kernel/contract'
import type { ToolUse } from '../types.js'

/** Of a description; the rest comes with the tool. */
const MAX_DESCRIPTION = 300
const MAX_PARAMETERS = 400

/** The tools in groups with a heading per server; the server with the best tool first, and in it the best tool. */
export function renderFound(tools: readonly Tool[], usage: (tool: Tool) => ToolUse | undefined): string {
  const groups = new Map<string, Tool[]>()
  for (const tool of tools) {
    const { server = '' } = tool.source
    groups.set(server, [...(groups.get(server) ?? []), tool])
  }
  return [...groups]
    .map(([server, group]) => [`## ${server}`, ...group.map((tool) => describeTool(tool, usage(tool)))].join('\n'))
    .join('\n\n')
}

function describeTool(tool: Tool, use: ToolUse | undefined): string {
  const parts = [
    `- ${tool.name}: ${sentence(shorten(tool.description, MAX_DESCRIPTION))}`,
    `Parameters: ${shorten(parametersOf(tool), MAX_PARAMETERS) || 'none'}.`,
    ...(use ? [`Called ${use.calls === 1 ? 'once' : `${use.calls} times`}, ${use.succeeded} with success.`] : []),
  ]
  return parts.join(' ')
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function parametersOf({ inputSchema }: Tool): string {
  const { properties, required } = inputSchema
  if (!isMap(properties)) return ''
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties)
    .map(([name, schema]) => `${name}${needed.has(name) ? '' : '?'}: ${typeOf(schema)}`)
    .join(', ')
}

function typeOf(schema: unknown): string {
  if (!isMap(schema)) return 'any'
  const { type, enum: values, items } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join('|')
  if (type === 'array') return `${typeOf(items)}[]`
  if (Array.isArray(type)) return type.join('|')
  return typeof type === 'string' ? type : 'any'
}

/** What comes from servers is put into one line. */
function shorten(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`
}
