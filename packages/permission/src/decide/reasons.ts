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
  switch (layer) {
    case 'critical':
      return 'Leave that to the person: say what you want to achieve and why.'
    case 'boundary':
      return 'Write inside the workspace instead, or say why it has to be there.'
    case 'shell':
      return 'Write it so that it is plain what runs and what it touches: no unknown variables, no code in texts, fewer steps.'
    case 'mode':
      return 'Do only what the mode permits, and describe what you would have done.'
    default:
      return verdict === 'deny'
        ? 'Do not try the same in another form: reach the goal without it, or say that you need it.'
        : 'If it is not given, do without it.'
  }
}
