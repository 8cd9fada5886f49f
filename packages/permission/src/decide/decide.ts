import type { AuthorizeRequest, Decision, Opinion, PermissionMode, TraceStep } from '@ext/kernel/contract'
import { readCall } from '../rule/reading.js'
import { modeStep } from './mode.js'
import { reasonsOf } from './reasons.js'
import { rulesStep } from './rules.js'
import type { Ruleset } from './ruleset.js'
import { shellStep } from './shell.js'

export interface DecideContext {
  readonly rules: Ruleset
  readonly mode: PermissionMode
  /** Where the paths of the call really lead. Default: what they say. */
  readonly realPaths?: readonly string[]
  readonly opinion?: Opinion
}

export interface Ruling {
  readonly decision: Decision
  /** The step that a hook's allow could not overcome. */
  readonly overruled?: TraceStep
  /** It would have been asked, but the mode does not ask. */
  readonly unasked: boolean
}

const RANK: Readonly<Record<TraceStep['verdict'], number>> = { none: 0, allow: 1, ask: 2, deny: 3 }

/**
 * Decides a call: pure, synchronous, total. Every layer speaks, and the strictest has the last word; between equals the
 * rules are named first, since a person can change them.
 */
export function decide({ call, tool }: AuthorizeRequest, { rules, mode, realPaths, opinion }: DecideContext): Ruling {
  const reading = readCall(
    { tool, input: call.input, ...(realPaths ? { realPaths } : {}) },
    { anchors: rules.host, tools: rules.host.tools },
  )
  const { step: byRules, allowed } = rulesStep(reading, rules)
  const byShell = shellStep(reading, rules, allowed)
  const inside = reading.paths?.every((path) => isBelow(path, rules.host.cwd)) ?? false
  const byMode = modeStep({ mode, kind: tool.kind, inside, soFar: strictest([byRules, byShell]) })
  const beforeOpinion = strictest([byRules, byShell, byMode])
  const byOpinion = opinionStep(opinion, mode, beforeOpinion)
  const answered = strictest([beforeOpinion, byOpinion])
  const byDefault: TraceStep =
    answered.verdict === 'none'
      ? { layer: 'default', verdict: 'ask', reason: 'Neither a rule nor the mode allows this call.' }
      : { layer: 'default', verdict: 'none', reason: 'Another layer has answered.' }
  const decider = strictest([answered, byDefault])
  const decision: Decision = {
    // One of the last two steps always has a verdict.
    behavior: decider.verdict === 'none' ? 'ask' : decider.verdict,
    decidedBy: decidedBy(decider),
    ...reasonsOf(tool, decider),
    trace: [byShell, byRules, byMode, byOpinion, byDefault],
  }
  const refused = opinion?.behavior === 'allow' && RANK[beforeOpinion.verdict] > RANK.allow
  return {
    decision,
    ...(refused ? { overruled: beforeOpinion } : {}),
    unasked: mode === 'dontAsk' && decision.behavior === 'deny' && decider.layer !== 'rules',
  }
}

/** An ask always counts. An allow counts where neither rule, command nor mode has said anything stricter. */
function opinionStep(opinion: Opinion | undefined, mode: PermissionMode, soFar: TraceStep): TraceStep {
  const step = (verdict: TraceStep['verdict'], reason: string): TraceStep => ({ layer: 'opinion', verdict, reason })
  if (!opinion) return step('none', 'No hook has an opinion.')
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

/** The first of the strictest steps. */
function strictest(steps: readonly [TraceStep, ...TraceStep[]]): TraceStep {
  return steps.reduce((best, step) => (RANK[step.verdict] > RANK[best.verdict] ? step : best))
}

function decidedBy({ layer, rule, source }: TraceStep): Decision['decidedBy'] {
  return { layer, ...(rule === undefined ? {} : { rule }), ...(source === undefined ? {} : { source }) }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`)
}
