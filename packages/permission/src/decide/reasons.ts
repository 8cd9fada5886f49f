import type { Decision, DecisionLayer, TraceStep } from '@ext/kernel/contract'
import type { RuleTool } from '../rule/tools.js'

/** What a person and what the model are told. */
export function reasonsOf(tool: RuleTool, decider: TraceStep): Pick<Decision, 'reason' | 'modelReason'> {
  const { verdict, layer, reason } = decider
  if (verdict === 'allow') {
    return { reason: `${tool.name} may run. ${reason}`, modelReason: `${tool.name} may run.` }
  }
  if (verdict === 'deny') {
    return {
      reason: `${tool.name} is denied. ${reason}`,
      modelReason: `${tool.name} was not permitted. ${reason} ${INSTEAD_OF_DENIED[layer]}`,
    }
  }
  return {
    reason: `${tool.name} has to be asked. ${reason}`,
    modelReason: `${tool.name} needs the consent of a person. ${reason} ${INSTEAD_OF_ASKED[layer]}`,
  }
}

const INSTEAD_OF_DENIED: Readonly<Record<DecisionLayer, string>> = {
  shell: 'Do without it.',
  rules: 'Do not try the same in another form: reach the goal without it, or say that you need it.',
  mode: 'Do only what the mode permits, and describe what you would have done.',
  opinion: 'Do without it.',
  default: 'Do without it.',
}

const INSTEAD_OF_ASKED: Readonly<Record<DecisionLayer, string>> = {
  shell:
    'A single plain command without operators, variables and patterns can be judged by rules; or use another tool.',
  rules: 'Do without it if you can.',
  mode: 'Do without it if you can.',
  opinion: 'Do without it if you can.',
  default: 'Prefer calls that need no consent.',
}
