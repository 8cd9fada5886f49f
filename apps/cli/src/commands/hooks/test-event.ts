import type { TriedEvent } from '@ext/hooks'
import type { EventResult, JsonObject, LifecycleEvent } from '@ext/kernel/contract'
import type { Extensions } from '../../compose.js'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, countSeverity, oneLine, printable } from '../../render/words.js'

/** Runs all hooks of an event that fit a payload, and shows what would come of it. Exits with 1 if one fails or is broken. */
export async function testEvent(
  event: LifecycleEvent,
  payload: JsonObject,
  { json }: { readonly json?: boolean },
  { hooks, locations }: Extensions,
  io: Io,
): Promise<number> {
  const tried = await hooks.tryEvent(event, { payload, signal: io.signal })
  if ('problem' in tried) {
    io.err(printable(`ext: ${tried.problem}`))
    return 2
  }
  const { diagnostics } = hooks
  if (json) {
    const { matched, runs } = tried
    const outcomes = runs.map(({ id, hook, outcome, cause, reason, ms }) => ({
      id,
      name: hook,
      outcome,
      ...(cause === undefined ? {} : { cause }),
      ...(reason === undefined ? {} : { reason }),
      ms,
    }))
    const said = { event: tried.event, payload: tried.payload, matched, outcomes, folded: folded(tried) }
    io.out(JSON.stringify({ ...said, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
  } else {
    const short = shorten(locations.project)
    for (const line of describe(tried)) io.out(printable(short(line)))
    for (const text of await describeDiagnostics(diagnostics, short)) io.err(`${text}\n`)
  }
  const failed = tried.runs.some(({ outcome }) => outcome === 'failed' || outcome === 'timedOut')
  return failed || countSeverity(diagnostics, 'error') > 0 ? 1 : 0
}

/** What the agent would do, in the words of the decisions that hooks give. */
interface Folded {
  /** `deny` is said of calls, `block` of everything else; `none`: it goes its usual way. */
  readonly decision: 'deny' | 'block' | 'ask' | 'allow' | 'none'
  readonly by?: string
  readonly reason?: string
  readonly updatedInput?: JsonObject
  readonly additionalContext?: string
  readonly notices: EventResult['notices']
  /** Whatever else counts at this event, such as `stop`. */
  readonly [other: string]: unknown
}

function folded({ event, effect }: TriedEvent): Folded {
  const { runs: _, context, block, opinion, answer, updatedInput, ...others } = effect
  const input = updatedInput?.input ?? (answer?.behavior === 'allow' ? answer.updatedInput : undefined)
  const { by, reason } = block ?? answer ?? opinion ?? {}
  return {
    decision: block ? (event === 'PreToolUse' ? 'deny' : 'block') : (answer?.behavior ?? opinion?.behavior ?? 'none'),
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
    ...(input ? { updatedInput: input } : {}),
    ...(context.length > 0 ? { additionalContext: context.map(({ text }) => text).join('\n') } : {}),
    ...others,
  }
}

function describe(tried: TriedEvent): readonly string[] {
  const { event, payload, matched, runs } = tried
  const { decision, by, reason, updatedInput, additionalContext, notices, ...others } = folded(tried)
  const effects = [
    `${decision}${by === undefined ? '' : `, by ${by}`}${reason === undefined ? '' : `: ${oneLine(reason, 400)}`}`,
    ...(updatedInput ? [`updatedInput: ${oneLine(JSON.stringify(updatedInput), 400)}`] : []),
    ...(additionalContext === undefined ? [] : [`the model is told: ${oneLine(additionalContext, 400)}`]),
    ...Object.entries(others).map(([what, value]) => `${what}: ${oneLine(JSON.stringify(value), 400)}`),
    ...notices.map(({ by: who, text }) => `the user is told: ${who} ${oneLine(text, 400)}`),
  ]
  return [
    `event     ${event}, ${count(matched.length, 'hook')} of it fit${matched.length === 1 ? 's' : ''}`,
    `payload   ${oneLine(JSON.stringify(payload), 400)}`,
    ...runs.map(
      ({ hook, outcome, cause, reason: why, ms }) =>
        `hook      ${hook} ${outcome}${cause === undefined ? '' : ` (${cause})`}, ${ms} ms${why === undefined ? '' : `: ${oneLine(why, 200)}`}`,
    ),
    ...effects.map((text, at) => `${(at === 0 ? 'effect' : '').padEnd(10)}${text}`),
  ]
}
