import type { AuthorizeRequest, Decision, Opinion, PermissionMode, SessionRef, TraceStep } from '@ext/kernel/contract'
import type { CommandReading } from '../rule/command/read.js'
import { type CallReading, type Links, readCallLike } from '../rule/reading.js'
import { boundaryFloor, criticalFloor, isInside } from './floors.js'
import { judgeLine, type LineJudgement } from './line.js'
import { kindOf, modeStep } from './mode.js'
import { opinionStep } from './opinion.js'
import { reasonsOf } from './reasons.js'
import { rulesStep } from './rules.js'
import type { Ruleset, ToolRules } from './ruleset.js'
import { shellFloor } from './shell.js'
import { type CompiledTerms, termsStep } from './terms.js'

export interface DecideContext {
  readonly rules: Ruleset
  /** What the session remembers. */
  readonly grants?: Ruleset
  /** What holds for the call besides the rules. */
  readonly terms?: readonly CompiledTerms[]
  readonly mode: PermissionMode
  readonly origin: SessionRef['origin']
  /** Where the paths of the call really lead. Default: what they say. */
  readonly links?: Links
  readonly opinion?: Opinion
  /** Milliseconds since the epoch: rules may expire. */
  readonly now: number
  readonly readOnlyCommands: boolean
  /** Reads a command line, or remembers it. */
  readonly readCommand: (command: string) => CommandReading
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
 * Decides a call: pure, synchronous, total. Every layer speaks, and the strictest has the last word; between equals a
 * floor is named before a rule, and a rule before what can't be judged.
 */
export function decide(request: AuthorizeRequest, context: DecideContext): Ruling {
  const { rules, grants, terms = [], mode, opinion, origin } = context
  const { tool } = request
  const own = rules.ofTool(tool)
  const kind = kindOf(tool)
  // Whether it is a sub-agent matters for one cell of the modes only.
  const memory = opinion || grants || terms.length > 0 || origin === 'agent' ? undefined : own.memory
  const remembered = memory?.get(mode)?.get(kind)
  if (remembered) return remembered
  const reading = readRequest(request, context)
  const granted = [grants, ...terms.map((each) => each.grants)].flatMap((each) => each?.ofTool(tool) ?? [])
  const refused = termsStep(reading, tool.system === true, terms, context)
  const ruling = decideReading(reading, kind, [own, ...granted], context, refused)
  if (memory) {
    const byKind = memory.get(mode) ?? new Map()
    memory.set(mode, byKind.set(kind, ruling))
  }
  return ruling
}

/** A call as rules see it, with where its paths lead if that is known. */
export function readRequest(
  { call, tool }: AuthorizeRequest,
  context: Pick<DecideContext, 'rules' | 'links' | 'readCommand'>,
): CallReading {
  const { rules, links, readCommand } = context
  const { like } = rules.ofTool(tool).called
  return readCallLike({ tool, input: call.input, ...(links ? { links } : {}) }, like, rules.host, readCommand)
}

function decideReading(
  reading: CallReading,
  kind: ReturnType<typeof kindOf>,
  tools: readonly [ToolRules, ...ToolRules[]],
  context: DecideContext,
  byTerms: TraceStep | undefined,
): Ruling {
  const { mode, origin, opinion, readOnlyCommands } = context
  const { command } = reading
  const line = command === undefined || command === 'unreadable' ? undefined : judgeLine(command, tools, context)
  const critical = criticalFloor(reading)
  const boundary = boundaryFloor(reading, context)
  const byRules = rulesStep(reading, line, tools, context)
  const byShell = shellFloor(reading, line, tools[0], context)
  const soFar = strictest([...(byTerms ? [byTerms] : []), critical.step, boundary.step, byRules, byShell])
  const inside = isInside(reading, context)
  const byMode = modeStep({ mode, origin, kind, inside, ...readsOf(reading, line), readOnlyCommands, soFar })
  const beforeOpinion = strictest([soFar, byMode])
  const byOpinion = opinionStep(opinion, mode, beforeOpinion)
  const answered = strictest([beforeOpinion, byOpinion])
  const byDefault = answered.verdict === 'none' ? UNANSWERED : ANSWERED
  const decider = strictest([answered, byDefault])
  const personOnly = critical.personOnly || boundary.personOnly
  const decision: Decision = {
    // One of the last two steps always has a verdict.
    behavior: decider.verdict === 'none' ? 'ask' : decider.verdict,
    decidedBy: decidedBy(decider),
    ...reasonsOf(reading.tool, decider),
    trace: [
      ...(byTerms ? [byTerms] : []),
      critical.step,
      boundary.step,
      byShell,
      byRules,
      byMode,
      byOpinion,
      byDefault,
    ],
    ...(personOnly ? { personOnly } : {}),
  }
  const refused = opinion?.behavior === 'allow' && RANK[beforeOpinion.verdict] > RANK.allow
  return {
    decision,
    ...(refused ? { overruled: beforeOpinion } : {}),
    unasked: mode === 'dontAsk' && decision.behavior === 'deny' && decider.layer !== 'rules' && decider !== byTerms,
  }
}

const UNANSWERED: TraceStep = {
  layer: 'default',
  verdict: 'ask',
  reason: 'Neither a rule nor the mode allows this call.',
}
const ANSWERED: TraceStep = { layer: 'default', verdict: 'none', reason: 'Another layer has answered.' }

/** What the program table knows of a command line. */
function readsOf({ command }: CallReading, line: LineJudgement | undefined) {
  if (!line || command === undefined || command === 'unreadable') return { reads: false, restReads: false }
  const { units, analysis } = command
  const readOnly = (index: number) => units[index]?.unit.readOnly ?? false
  const writes = analysis.effects.some(({ kind }) => kind === 'write')
  return {
    reads: !writes && analysis.unknowns.length === 0 && units.every(({ unit }) => unit.readOnly || unit.transparent),
    restReads: units.length > 0 && line.uncovered.length === 0 && line.missing.every(readOnly),
  }
}

/** The first of the strictest steps. */
function strictest(steps: readonly TraceStep[]): TraceStep {
  return steps.reduce((best, step) => (RANK[step.verdict] > RANK[best.verdict] ? step : best))
}

function decidedBy({ layer, rule, source }: TraceStep): Decision['decidedBy'] {
  return { layer, ...(rule === undefined ? {} : { rule }), ...(source === undefined ? {} : { source }) }
}
