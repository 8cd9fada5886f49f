import type { Authorization, RunTerms, ToolInfo, ToolTable } from '@ext/kernel/contract'
import { mayUseTool } from './agents/tool-list.js'
import type { Gate } from './types.js'

const NO_GATE = 'no gate was given to the agent'

/**
 * What decides when nobody was given to: only what changes nothing outside the agent runs. It reads no rules, so a limit
 * on some calls of a tool is one on all of them.
 */
export const noGate = (table: ToolTable): Gate => ({
  session: () => ({
    async authorize({ tool }, { opinion, terms = [] }) {
      const limit = terms.find((each) => !admits(each, tool, table))
      if (limit) return refused(tool, limit.by)
      const harmless = tool.kind === 'read' || tool.kind === 'meta'
      if (harmless && opinion?.behavior !== 'ask') {
        return unruled('allow', `${NO_GATE}; tools of kind ${tool.kind} run without one`, '')
      }
      const why = opinion?.behavior === 'ask' ? `${opinion.by} wants it asked` : `its kind is ${tool.kind}`
      const denied = unruled(
        'deny',
        `${tool.name} does not run: ${why}, and ${NO_GATE} that could ask`,
        `${tool.name} was not permitted: ${NO_GATE}, so nobody can be asked. Do without it.`,
      )
      if (opinion?.behavior !== 'allow') return denied
      return { ...denied, notices: [{ by: opinion.by, text: `its allow has no effect: ${NO_GATE}` }] }
    },
  }),
})

function admits({ restrict, disallowed = [] }: RunTerms, tool: ToolInfo, table: ToolTable): boolean {
  const disallowedTools = disallowed.map((text) => text.replace(/\(.*/s, '').trim())
  return mayUseTool({ ...(restrict ? { tools: restrict } : {}), disallowedTools }, tool, table)
}

function refused({ name }: ToolInfo, by: string): Authorization {
  const reason = `${name} is not to be had while \`${by}\` is active.`
  const modelReason = `${name} was not permitted. ${reason} Do without it.`
  const decidedBy = { layer: 'terms' } as const
  const trace = [{ layer: 'terms', verdict: 'deny', reason }] as const
  return {
    ...unruled('deny', reason, modelReason),
    decision: { behavior: 'deny', decidedBy, reason, modelReason, trace },
    answeredBy: 'rules',
  }
}

/** An answer that no rule and no person stands behind. */
export function unruled(behavior: 'allow' | 'deny', reason: string, modelReason: string): Authorization {
  // A deny of this kind is a question that nobody could answer.
  const verdict = behavior === 'allow' ? 'allow' : 'ask'
  return {
    behavior,
    decision: {
      behavior: verdict,
      decidedBy: { layer: 'default' },
      reason,
      modelReason,
      trace: [{ layer: 'default', verdict, reason }],
    },
    answeredBy: behavior === 'allow' ? 'rules' : 'nobody',
    reason,
    modelReason,
    waitMs: 0,
    notices: [],
  }
}
