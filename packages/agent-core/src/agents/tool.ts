import { suggest } from '@ext/kernel'
import type { ToolContext, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import type { SteppingTool } from '../call/execute.js'
import { defineTool } from '../define-tool.js'
import type { AgentDefinition } from './definition.js'
import { foldName } from './names.js'
import { type AgentProfile, PROFILES } from './profile.js'

/** How much of the conversation a sub-agent sees. */
export type ContextShare = 'none' | 'recent' | 'full'

/** What the model asks a sub-agent to do. */
export interface ToolOrder {
  readonly definition: AgentDefinition
  readonly prompt: string
  readonly context: ContextShare
  readonly background: boolean
  readonly profile: AgentProfile | undefined
}

const BACKGROUND = {
  type: 'boolean',
  description: 'Go on without waiting for it. You are told when it is done; task_output shows how far it is.',
} as const

/**
 * The tool by which a model starts a sub-agent and waits for its last word.
 * @param agents by folded name
 * @param behind it may run in the background
 */
export function agentTool(
  agents: ReadonlyMap<string, AgentDefinition>,
  behind: boolean,
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
        profile: { enum: [...PROFILES], description: 'read-only: it can change nothing, whatever it is told.' },
        ...(behind ? { background: BACKGROUND } : {}),
      },
      required: ['type', 'prompt'],
      additionalProperties: false,
    },
    async run({ type, prompt, context = 'none', profile, background }, toolContext) {
      const definition = agents.get(foldName(type))
      if (definition)
        return start({ definition, prompt, context, profile, background: background === true }, toolContext)
      const names = known.map(({ name }) => name)
      const meant = suggest(type, names)
      const text = `There is no sub-agent ${type}. ${meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`}`
      return { content: [textBlock(text)], isError: true }
    },
  })
  return { ...tool, takesSteps: true }
}
