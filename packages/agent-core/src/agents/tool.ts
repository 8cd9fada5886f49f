import { suggest } from '@ext/kernel'
import type { ToolContext, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import type { SteppingTool } from '../call/execute.js'
import { defineTool } from '../define-tool.js'
import type { AgentDefinition } from './definition.js'
import { foldName } from './names.js'

/** How much of the conversation a sub-agent sees. */
export type ContextShare = 'none' | 'recent' | 'full'

/** What the model asks a sub-agent to do. */
export interface ToolOrder {
  readonly definition: AgentDefinition
  readonly prompt: string
  readonly context: ContextShare
}

/**
 * The tool by which a model starts a sub-agent and waits for its last word.
 * @param agents by folded name
 */
export function agentTool(
  agents: ReadonlyMap<string, AgentDefinition>,
  start: (order: ToolOrder, context: ToolContext) => Promise<ToolResult>,
): SteppingTool {
  const known = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const list = known.map(({ name, description }) => `- ${name}: ${description}`)
  const tool = defineTool({
    name: 'agent',
    description: [
      'Starts a sub-agent that works on its own and gives back its last message. It sees only what you hand it.',
      'Types:',
      ...list,
    ].join('\n'),
    // It does nothing itself; every call that the sub-agent makes goes through hooks and permission.
    kind: 'meta',
    annotations: { readOnly: false },
    inputSchema: {
      type: 'object',
      properties: {
        type: { type: 'string', minLength: 1, description: 'Which sub-agent.' },
        prompt: { type: 'string', minLength: 1, description: 'What it shall do, with all that it has to know.' },
        context: {
          enum: ['none', 'recent', 'full'],
          description:
            'What it sees of this conversation: nothing, what came since the newest prompt, or all. Default none.',
        },
      },
      required: ['type', 'prompt'],
      additionalProperties: false,
    },
    async run({ type, prompt, context = 'none' }, toolContext) {
      const definition = agents.get(foldName(type))
      if (definition) return start({ definition, prompt, context }, toolContext)
      const names = known.map(({ name }) => name)
      const meant = suggest(type, names)
      const text = `There is no sub-agent ${type}. ${meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`}`
      return { content: [textBlock(text)], isError: true }
    },
  })
  return { ...tool, takesSteps: true }
}
