import type { Tool, ToolResult } from '@ext/kernel/contract'

export const SEARCH_NAME = 'tool_search'
const LIMIT = 5
const MOST = 20

/** A question of the model. */
export interface ToolQuery {
  readonly query: string
  readonly limit: number
  readonly server?: string
}

/** How many tools a server has that are not always listed. */
export interface ServerCount {
  readonly server: string
  readonly tools: number
}

/** The tool through which the model finds tools that are not listed. The same bytes as long as the servers have the same. */
export function searchTool(
  servers: readonly ServerCount[],
  search: (query: ToolQuery) => Promise<Pick<ToolResult, 'content' | 'isError' | 'structured'>>,
): Tool {
  const all = servers.reduce((sum, { tools }) => sum + tools, 0)
  const list = servers.map(({ server, tools }) => `${server} (${tools})`).join(', ')
  return Object.freeze({
    name: SEARCH_NAME,
    title: 'Search tools',
    description: [
      'Finds tools by what they do. Not all tools are listed: use it before you say that something is not possible.',
      'What it finds is listed from the next turn on, and can be called then.',
      `${all} tools that it finds are from these servers: ${list}.`,
    ].join(' '),
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'What you want to do, in a few words such as "create calendar event"; or the name of a tool.',
        },
        limit: { type: 'integer', minimum: 1, maximum: MOST, description: `How many tools. Default ${LIMIT}.` },
        server: { type: 'string', description: 'Only tools of this server.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    kind: 'meta',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    source: { tool: SEARCH_NAME, trusted: true },
    system: true,
    async run(input, { signal }) {
      signal.throwIfAborted()
      const { query, limit = LIMIT, server } = input
      if (typeof query !== 'string' || query.trim() === '' || typeof limit !== 'number') {
        return refuse('`query` must be a text that is not empty, `limit` a number.')
      }
      if (server !== undefined && !servers.some((each) => each.server === server)) {
        return refuse(`There is no server ${JSON.stringify(server)} whose tools are searched. There are: ${list}.`)
      }
      return search({
        query,
        limit: Math.min(Math.max(1, Math.trunc(limit)), MOST),
        ...(typeof server === 'string' ? { server } : {}),
      })
    },
  } satisfies Tool)
}

function refuse(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
