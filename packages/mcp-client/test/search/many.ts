import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SessionRef, Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import { estimateTokens } from '@ext/kernel/words'
import type { SessionTools } from '../../src/types.js'

/** The lists of tools in `test/fixtures/catalog`. */
export const SERVERS = ['browser', 'calendar', 'cloud', 'filesystem', 'github', 'jira', 'postgres', 'slack']

const CATALOG = fileURLToPath(new URL('../fixtures/catalog.mjs', import.meta.url))

/** The entry of a server with such a list; see the fixture. */
export function catalog(list: string, how: Readonly<Record<string, unknown>> = {}) {
  return { command: process.execPath, args: [CATALOG, list, JSON.stringify(how)] }
}

export interface Request {
  /** What a person wants. */
  readonly request: string
  /** Server and tool. */
  readonly tool: string
}

export function requests(file: 'requests' | 'holdout'): readonly (Request & { readonly name: string })[] {
  const lines = readFileSync(new URL(`${file}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => {
    const { request, tool } = JSON.parse(line) as Request
    return { request, tool, name: `mcp__${tool.replace('/', '__')}` }
  })
}

export const REF: SessionRef = { id: 's', cwd: process.cwd(), origin: 'main', permissionMode: 'default' }

export const CONTEXT: ToolContext = {
  signal: new AbortController().signal,
  session: REF,
  callId: 'call',
  idempotencyKey: 'key',
  progress() {},
  report() {},
}

export function tokensOf(tools: readonly Tool[]): number {
  return tools.reduce((sum, { name, description, inputSchema, modelSchema = inputSchema }) => {
    return sum + estimateTokens(JSON.stringify({ name, description, inputSchema: modelSchema }))
  }, 0)
}

/** As the model calls it. */
export async function search(
  session: SessionTools,
  query: string,
  more: { readonly limit?: number; readonly server?: string } = {},
): Promise<{ readonly result: ToolResult; readonly text: string; readonly found: readonly string[] }> {
  const tool = session.tools().find(({ name }) => name === 'tool_search')
  if (!tool) throw new Error('There is no tool_search.')
  const result = await tool.run({ query, ...more }, CONTEXT)
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const { tools: found = [] } = (result.structured ?? {}) as { readonly tools?: readonly string[] }
  return { result, text, found }
}
