import type { Decision, TraceStep } from '@ext/kernel/contract'
import type { RuleTool } from '../rule/tools.js'

/** What a person and what the model are told: both why, and the model what it may do instead. */
export function reasonsOf({ name }: RuleTool, decider: TraceStep): Pick<Decision, 'reason' | 'modelReason'> {
  const { verdict, reason } = decider
  if (verdict === 'allow') return { reason: `${name} may run. ${reason}`, modelReason: `${name} may run.` }
  if (verdict === 'deny') {
    return {
      reason: `${name} is denied. ${reason}`,
      modelReason: `${name} was not permitted. ${reason} ${instead(decider)}`,
    }
  }
  return {
    reason: `${name} needs consent. ${reason}`,
    modelReason: `${name} needs the consent of a person. ${reason} ${instead(decider)}`,
  }
}

function instead({ verdict, layer }: TraceStep): string {
  if (layer === 'shell') {
    return 'Rules can judge a single plain command without operators, variables and patterns; or use another tool.'
  }
  if (layer === 'mode') return 'Do only what the mode permits, and describe what you would have done.'
  return verdict === 'deny'
    ? 'Do not try the same in another form: reach the goal without it, or say that you need it.'
    : 'If it is not given, do without it.'
}
