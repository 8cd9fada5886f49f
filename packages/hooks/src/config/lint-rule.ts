import { createReporter, type Diagnostic, type Located, suggest } from '@ext/kernel'
import type { LifecycleEvent } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { COMMON_PAYLOAD, events, takesContext } from '../events.js'
import type { ConditionTree } from './condition.js'
import type { HookEntry } from './entry.js'

const report = createReporter(diagnosticCodes)

/** Somebody who leaves waits at the door no longer than this, whatever a hook asks for. */
export const MAX_SESSION_END_MS: number = 60_000

/** What a hook asks for that its event can't give it. Errors keep it from being loaded. */
export function lintRule(entry: Located<HookEntry>, event: LifecycleEvent): readonly Diagnostic[] {
  const { value: hook } = entry
  const { tier } = events[event]
  const findings: Diagnostic[] = []
  const decides = tier === 'hard' || tier === 'feedback'
  if (hook.background === 'async' && decides) findings.push(noDecision(entry, event))
  if (hook.onFailure === 'block' && (hook.background || tier === 'feedback' || tier === 'degrade')) {
    const why = hook.background ? 'A hook that nobody waits for' : 'A hook that fails'
    findings.push(noFailureEffect(entry, `${why} never blocks ${event}, so \`onFailure: block\` has no effect.`))
  }
  if (hook.background === 'rewake' && (event === 'SessionEnd' || event === 'SubagentStop')) {
    const message = `Nobody is left to be woken after ${event}, so what the hook blocks with is lost.`
    const details = { pointer: `${entry.pointer}/asyncRewake`, hint: 'Write `async`, or listen to an earlier event.' }
    findings.push(report.warning('hooks.async.no-wake', entry.at('/asyncRewake'), message, details))
  }
  if (hook.background && hook.sequential) {
    const pointer = '/sequential'
    const message = 'Nobody waits for the hook, so `sequential` has no effect.'
    const details = { pointer: entry.pointer + pointer, hint: 'Remove one of the two.' }
    findings.push(report.warning('hooks.sequential.no-effect', entry.at(pointer), message, details))
  }
  if (event === 'SessionEnd' && (hook.timeoutMs ?? 0) > MAX_SESSION_END_MS) findings.push(cappedTimeout(entry))
  if (hook.stdout === 'context' && !takesContext(event)) findings.push(noContext(entry, event))
  if (typeof hook.condition === 'object') findings.push(...absentFields(entry, hook.condition, event))
  return findings
}

/** Real settings files have such hooks, which write logs; who writes a rule of ours expects it to do what it says. */
function noDecision(entry: Located<HookEntry>, event: LifecycleEvent): Diagnostic {
  const details = { entry: entry.id, pointer: `${entry.pointer}/async` }
  if (entry.value.dialect === 'claude-settings') {
    const message = `The hook is \`async\`, so nothing that it decides about ${event} can count.`
    const hint = 'Remove `async` if it is to decide; leave it for one that only takes notes.'
    return report.warning('hooks.async.no-decision', entry.at('/async'), message, { ...details, hint })
  }
  const message = `${event} waits for its hooks to decide, and nobody waits for one that is \`async\`.`
  const hint = 'Remove `async`, or write `asyncRewake: true` if the model is to hear of a block later.'
  return report.error('hooks.async.no-decision', entry.at('/async'), message, { ...details, hint })
}

function noFailureEffect(entry: Located<HookEntry>, message: string): Diagnostic {
  const pointer = `${entry.pointer}/onFailure`
  return report.warning('hooks.on-failure.no-effect', entry.at('/onFailure'), message, { pointer, hint: 'Remove it.' })
}

function noContext(entry: Located<HookEntry>, event: LifecycleEvent): Diagnostic {
  return report.warning(
    'hooks.stdout.no-effect',
    entry.at('/stdout'),
    `${event} tells the model nothing, so what the hook prints goes to the user.`,
    { pointer: `${entry.pointer}/stdout`, hint: 'Write `stdout: user`, or remove it.' },
  )
}

function cappedTimeout(entry: Located<HookEntry>): Diagnostic {
  return report.warning(
    'hooks.timeout.capped',
    entry.at('/timeout'),
    'The end of a session waits for a hook at most 60 seconds, so `timeout` is cut to that.',
    { pointer: `${entry.pointer}/timeout`, hint: 'Write a shorter time, and let the hook start what takes longer.' },
  )
}

/** Conditions on what the event never has; they hold for no event, or with `missing: match` for each. */
function absentFields(
  entry: Located<HookEntry>,
  { join, atoms }: ConditionTree,
  event: LifecycleEvent,
): readonly Diagnostic[] {
  const known: Readonly<Record<string, string>> = { ...events[event].fields, ...COMMON_PAYLOAD }
  return atoms.flatMap(({ field: [name = '', ...parts], holdsWithout }, index) => {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === 'parts' || (kind === 'value' && parts.length === 0)) return []
    const pointer = `/if/${join}/${index}/field`
    const found = kind === undefined ? `has no field \`${name}\`` : `has no parts in \`${name}\``
    const effect = holdsWithout ? 'always holds' : 'never holds'
    const meant = kind === undefined ? suggest(name, Object.keys(known)) : name
    const hint = meant ? `Did you mean \`${meant}\`?` : `It has ${Object.keys(events[event].fields).join(', ')}.`
    return report.warning(
      'hooks.if.absent-field',
      entry.at(pointer),
      `${event} ${found}, so this condition ${effect}.`,
      {
        pointer: entry.pointer + pointer,
        hint,
      },
    )
  })
}
