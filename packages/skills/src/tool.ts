import type { Tool, ToolResult } from '@ext/kernel/contract'
import { describeLoaded, describeResult } from './command.js'
import type { ActivateOptions, Activation } from './types.js'

export const TOOL_NAME = 'load_skill'

/**
 * The tool through which the model loads a skill. It does not name the skills: the catalog does, and so the tool is
 * the same bytes in every session.
 */
export function loadSkillTool(start: (name: string, options: ActivateOptions) => Promise<Activation>): Tool {
  return Object.freeze({
    name: TOOL_NAME,
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
    source: { tool: TOOL_NAME, trusted: true },
    system: true,
    // A skill may run in a sub-agent, which has limits of its own, and so have the commands of a body.
    timeoutMs: Number.POSITIVE_INFINITY,
    async run(input, { signal, terms, session }) {
      signal.throwIfAborted()
      const { name, arguments: args } = input
      if (typeof name !== 'string' || (args !== undefined && typeof args !== 'string')) {
        return answer('`name` and `arguments` must be texts.', true)
      }
      const activation = await start(name, {
        via: 'model',
        signal,
        session,
        ...(args === undefined ? {} : { args }),
        ...(terms ? { terms } : {}),
      })
      if (!activation.skill) return answer(`${activation.problem} ${activation.hint}`, true)
      return answer(activation.mode === 'fork' ? describeResult(activation) : describeLoaded(activation), false)
    },
  } satisfies Tool)
}

function answer(text: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text }], isError }
}
