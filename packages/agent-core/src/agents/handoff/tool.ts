import { compareText, suggest } from '@ext/kernel'
import type { Tool, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../../call/content.js'
import type { SteppingTool } from '../../call/execute.js'
import { defineTool } from '../../define-tool.js'
import type { AgentContext, RunContext } from '../../run-context.js'
import { foldName } from '../names.js'
import { holderName } from './holder.js'

/** Whom a conversation can be handed over to. */
interface Target {
  readonly name: string
  readonly description: string
}

/**
 * The tool by which the agent that has the conversation hands it over; `undefined` where there is nobody else, and in
 * sub-agents, whose conversations are nobody's but theirs.
 */
export function handoffToolFor(run: RunContext): Tool | undefined {
  const { agent, session, parent } = run
  if (!agent.handoff || parent || agent.limits.maxHandoffs === 0) return undefined
  const targets = targetsOf(agent).filter(({ name }) => name !== holderName(agent, session.holder))
  return targets.length === 0 ? undefined : handoffTool(run, targets)
}

/** The definitions that take conversations over, and the agent with which the session began. */
function targetsOf({ agents, handoff }: AgentContext): readonly Target[] {
  if (!handoff) return []
  const willing = [...agents.values()].filter((each) => each.handoff === true)
  const first = { name: handoff.first, description: 'The agent with which the conversation began.' }
  return [...willing, first].toSorted((a, b) => compareText(a.name, b.name))
}

function handoffTool(run: RunContext, targets: readonly Target[]): SteppingTool {
  const { agent, session } = run
  const tool = defineTool({
    name: 'handoff',
    description: [
      'Hands this conversation over to another agent, which goes on with it in your place once this turn is over. Agents:',
      ...targets.map(({ name, description }) => `- ${name}: ${description}`),
    ].join('\n'),
    // It does nothing itself; every call that the other agent makes goes through hooks and permission.
    kind: 'meta',
    annotations: { readOnly: false },
    inputSchema: {
      type: 'object',
      properties: {
        to: { type: 'string', minLength: 1, description: 'Which agent.' },
        reason: { type: 'string', description: 'Why, and what it shall do: it sees this call.' },
      },
      required: ['to'],
      additionalProperties: false,
    },
    async run({ to, reason }) {
      const target = targets.find(({ name }) => foldName(name) === foldName(to))
      if (!target) return refusal(missing(to, agent, run))
      const { maxHandoffs } = agent.limits
      if (session.handingOver) return refusal(`The conversation goes to ${session.handingOver.to} already.`)
      if (run.handoffs >= maxHandoffs) {
        const text = `The conversation was handed over ${maxHandoffs} times in this run, which is the limit. Go on with it yourself.`
        return refusal(text)
      }
      const order = { to: target.name, ...(reason === undefined ? {} : { reason }) }
      session.handingOver = order
      session.journal?.write('handoff', order)
      return `${target.name} has the conversation once this turn is over.`
    },
  })
  return { ...tool, takesSteps: true }
}

function missing(to: string, agent: AgentContext, { session }: RunContext): string {
  const own = holderName(agent, session.holder)
  if (foldName(to) === foldName(own)) return `${own} has the conversation: that is you.`
  const names = targetsOf(agent).flatMap(({ name }) => (name === own ? [] : [name]))
  const meant = suggest(to, names)
  const known = agent.agents.get(foldName(to))
  const why = known ? `${known.name} takes no conversation over` : `There is no agent ${to} to hand over to`
  return `${why}. ${meant === undefined || known ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`}`
}

function refusal(text: string): ToolResult {
  return { content: [textBlock(text)], isError: true }
}
