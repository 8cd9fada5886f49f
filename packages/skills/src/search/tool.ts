import type { Tool, ToolResult } from '@ext/kernel/contract'
import type { SkillMatch } from '../types.js'

const MOST = 20
/** Of a description; the rest comes with the skill. */
const MOST_CHARACTERS = 300

/**
 * The tool through which the model finds skills that the catalog has left out. It is the same bytes in every session.
 * @param search gives what fits, best first
 */
export function searchSkillsTool(
  search: (query: string, options: { readonly limit: number }) => Promise<readonly SkillMatch[]>,
): Tool {
  return Object.freeze({
    name: 'search_skills',
    title: 'Search skills',
    description:
      'Finds skills by what they are for. Use it before you start on a task when no skill that is listed fits: not all of them are listed.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the task is about, in a few words.' },
        limit: { type: 'integer', minimum: 1, maximum: MOST, description: 'How many skills. Default 5.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    kind: 'meta',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    source: { tool: 'search_skills', trusted: true },
    system: true,
    async run(input, { signal }) {
      signal.throwIfAborted()
      const { query, limit = 5 } = input
      if (typeof query !== 'string' || query.trim() === '' || typeof limit !== 'number') {
        return answer('`query` must be a text that is not empty, `limit` a number.', true)
      }
      const matches = await search(query, { limit: Math.min(Math.max(1, Math.trunc(limit)), MOST) })
      if (matches.length === 0) return answer('No skill fits. Try other words, or do without a skill.', false)
      const lines = matches.map(({ skill }) => `- ${skill.name}: ${short(skill.description)}`)
      return answer(`Load the one that fits with \`load_skill\`.\n\n${lines.join('\n')}`, false)
    },
  } satisfies Tool)
}

function short(description: string): string {
  const line = description.replace(/\s+/g, ' ')
  const characters = [...line]
  return characters.length <= MOST_CHARACTERS ? line : `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`
}

function answer(text: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text }], isError }
}
