import type { Opinion, PermissionMode, TraceStep } from '@ext/kernel/contract'

/** An ask always counts. An allow counts where neither floor, rule nor mode has said anything. */
export function opinionStep(opinion: Opinion | undefined, mode: PermissionMode, soFar: TraceStep): TraceStep {
  const step = (verdict: TraceStep['verdict'], reason: string): TraceStep => ({ layer: 'opinion', verdict, reason })
  if (!opinion) return NO_OPINION
  const { by } = opinion
  const because = opinion.reason ? `: ${opinion.reason}` : ''
  if (opinion.behavior === 'ask') {
    return mode === 'dontAsk'
      ? step('deny', `${by} wants it asked${because}, and in mode dontAsk nobody is asked.`)
      : step('ask', `${by} wants it asked${because}.`)
  }
  if (soFar.verdict === 'none') return step('allow', `${by} allows it${because}.`)
  if (soFar.verdict === 'allow') return step('none', `${by} allows what is allowed already.`)
  return step('none', `${by} allows it, which does not count: ${soFar.reason}`)
}

const NO_OPINION: TraceStep = { layer: 'opinion', verdict: 'none', reason: 'No hook has an opinion.' }
