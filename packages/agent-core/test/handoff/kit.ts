import type { ScriptTurn } from '../../src/scripted/index.js'
import type { AgentDefinition, Model } from '../../src/types.js'
import { type AgentSetup, modelOf } from '../kit.js'

export const billing: AgentDefinition = {
  name: 'Billing',
  description: 'Answers questions about money.',
  prompt: 'You are billing.',
  handoff: true,
}

export const END = { say: 'done' }

export const over = (to = 'billing', more: object = {}) => ({ calls: [{ tool: 'handoff', input: { to, ...more } }] })

/** An agent whose first model hands over, and the models of the others by name. */
export function handing(
  first: Model,
  others: Readonly<Record<string, Model>>,
  more: Partial<AgentSetup> = {},
): AgentSetup {
  return {
    model: first,
    models: (name) => others[name],
    agents: [{ ...billing, ...(others['billing'] ? { model: 'billing' } : {}) }],
    handoff: {},
    ...more,
  }
}

/** Plays one turn at each call, whatever the conversation is; that of `scripted` counts the turns of all agents. */
export function scripted(...turns: readonly ScriptTurn[]): ReturnType<typeof modelOf> {
  const id = `m${++models}`
  return modelOf(
    ...turns.map(({ say, calls = [] }, turn) => [
      ...(say === undefined ? [] : [{ type: 'text', text: say } as const]),
      ...calls.map(
        ({ tool, input }, index) => ({ type: 'tool_call', id: `${id}_${turn}_${index}`, name: tool, input }) as const,
      ),
    ]),
  )
}

let models = 0
