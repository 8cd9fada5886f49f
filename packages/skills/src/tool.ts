import type { Tool, ToolResult } from '@ext/kernel/contract'
import type { Activation, SkillSession } from './types.js'

/**
 * The tool through which the model loads a skill. It does not name the skills: the catalog does, and so the tool is
 * the same bytes in every session.
 */
export function loadSkillTool(session: Pick<SkillSession, 'activate'>): Tool {
  return Object.freeze({
    name: 'load_skill',
    title: 'Load skill',
    description: 'Loads the instructions of a skill. Do it before you start on a task that the skill is for.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the skill.' },
        arguments: {
          type: 'string',
          description: 'What the skill asks for behind its name, such as [environment]. Put quotes around blanks.',
        },
      },
      required: ['name'],
      additionalProperties: false,
    },
    kind: 'meta',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    source: { tool: 'load_skill', trusted: true },
    system: true,
    async run(input, { signal }) {
      signal.throwIfAborted()
      const { name, arguments: args } = input
      if (typeof name !== 'string' || (args !== undefined && typeof args !== 'string')) {
        return answer('`name` and `arguments` must be texts.', true)
      }
      const activation = await session.activate(name, { via: 'model', ...(args === undefined ? {} : { args }) })
      return activation.skill
        ? answer(describeLoaded(activation), false)
        : answer(`${activation.problem} ${activation.hint}`, true)
    },
  } satisfies Tool)
}

/** The instructions themselves are in the session's context from now on; here they would be sent twice. */
function describeLoaded(activation: Extract<Activation, { readonly text: string }>): string {
  const { skill, unchanged, stale, resources, moreResources } = activation
  const lines = [
    unchanged
      ? `The skill \`${skill.name}\` is loaded already, with the same instructions; follow them.`
      : `The skill \`${skill.name}\` is loaded. Follow its instructions, which go with each turn as \`# Skill ${skill.name}\`.`,
  ]
  if (stale !== undefined)
    lines.push(`The version that was read before is used, since the file is broken now: ${stale}`)
  if (resources.length > 0) {
    lines.push(`Other files in it, not read yet: ${resources.join(', ')}${moreResources ? ' and more' : ''}.`)
  }
  return lines.join('\n')
}

function answer(text: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text }], isError }
}
