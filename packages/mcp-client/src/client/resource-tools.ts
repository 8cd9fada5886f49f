import type { JsonObject, JsonSchema, Tool, ToolResult } from '@ext/kernel/contract'
import type { OfferOptions, Resources } from '../offered.js'
import { failure } from '../results/failure.js'

/** A tool of the client itself. */
export interface OwnTool {
  readonly tool: Tool
  /** What running it does. */
  call(input: JsonObject, options: OfferOptions): Promise<ToolResult>
}

/** What a model is shown of one list; it can ask for one server. */
const MAX_SHOWN = 500
const MAX_TEXT = 300

/**
 * Tools by which a model finds and reads resources. They only read, go through the limits of the servers like calls, and
 * are asked about by whatever asks about tools; so they are no part of the agent that nothing can take away.
 */
export function resourceTools(resources: Resources): readonly OwnTool[] {
  return [
    define(
      'list_mcp_resources',
      'Lists the resources of MCP servers: their addresses, and templates of addresses to be filled in.',
      { server: { type: 'string', description: 'Only of this server. Default: of all.' } },
      [],
      async ({ server }, options) => {
        const which = { ...options, ...(typeof server === 'string' && server !== '' ? { server } : {}) }
        const [listed, templates] = await Promise.all([resources.list(which), resources.templates(which)])
        const shown = listed.items.slice(0, MAX_SHOWN).map(shorten)
        const left = listed.items.length - shown.length
        const problems = [...new Set([...listed.problems, ...templates.problems].map(({ message }) => message))]
        const found = {
          resources: shown,
          ...(left > 0 ? { left: `${left} more; ask for one server, or read by address` } : {}),
          ...(templates.items.length > 0 ? { templates: templates.items.slice(0, MAX_SHOWN).map(shorten) } : {}),
          ...(problems.length > 0 ? { problems } : {}),
        }
        const isError = shown.length === 0 && templates.items.length === 0 && problems.length > 0
        return { content: [{ type: 'text', text: JSON.stringify(found) }], isError }
      },
    ),
    define(
      'read_mcp_resource',
      'Reads a resource of an MCP server.',
      {
        server: { type: 'string', description: 'The server that has it.' },
        uri: { type: 'string', description: 'Its address, as list_mcp_resources gives it, or a template filled in.' },
      },
      ['server', 'uri'],
      async ({ server, uri }, options) => {
        if (typeof server === 'string' && typeof uri === 'string') return resources.read(server, uri, options)
        const text = '`server` and `uri` have to be texts.'
        return failure({ phase: 'find', kind: 'protocol', text, hint: 'See list_mcp_resources.' })
      },
    ),
  ]
}

function define(
  name: string,
  description: string,
  properties: JsonSchema,
  required: readonly string[],
  call: OwnTool['call'],
): OwnTool {
  const tool: Tool = {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    kind: 'read',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    source: { tool: name, trusted: true },
    run: (input, { signal, trace, session }) => call(input, { signal, trace, session }),
  }
  return { tool: Object.freeze(tool), call }
}

function shorten<T extends { readonly description?: string }>(item: T): T {
  const { description = '' } = item
  return description.length <= MAX_TEXT ? item : { ...item, description: `${description.slice(0, MAX_TEXT)}…` }
}
