import type { ExplainedHook } from '@ext/hooks'
import { formatPlace } from '@ext/kernel'
import type { TraceStep } from '@ext/kernel/contract'
import type { ExplainedUnit, Explanation } from '@ext/permission'
import { DYNAMIC } from '@ext/permission/shell'

/** The hooks that are asked about a call before anybody else. */
export function describeHooks(hooks: readonly ExplainedHook[]): readonly string[] {
  if (hooks.length === 0) return []
  const lines = hooks.map(({ name, source, runs, why }) => {
    return `  ${runs ? 'runs' : 'not '}      ${name}: ${why} (${formatPlace(source)})`
  })
  return ['Hooks before the call', ...lines, '']
}

/** An explanation for people: the decision, what it rests on, and what would allow the call. */
export function describeExplanation(tool: string, explanation: Explanation): readonly string[] {
  const { decision, mode, cwd, units, effects, unknowns, critical, paths } = explanation
  return [
    `${tool}: ${decision.behavior}`,
    `  ${decision.reason}`,
    '',
    `mode ${mode}, in ${cwd}`,
    ...section('Commands', units.flatMap(describeUnit)),
    ...section(
      'Effects',
      units.length > 0 && effects.length === 0 ? ['none that is known'] : effects.map(describeEffect),
    ),
    ...section(
      'Paths',
      units.length > 0
        ? []
        : paths.map(({ path, leadsTo }) =>
            leadsTo === undefined ? path : `${path}, which leads to ${leadsTo.join(' and ')}`,
          ),
    ),
    ...section(
      'Not judged',
      unknowns.map(({ message, answered }) => `${message}${answered ? ' A rule has answered it.' : ''}`),
    ),
    ...section(
      'Only a person may allow it',
      critical.map(({ what }) => `it ${what}`),
    ),
    ...section('Layers', decision.trace.map(describeStep)),
    ...section('What would allow it', whatWouldAllow(explanation)),
  ]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)]
}

function describeUnit({ argv, cwd, env, via, allowedBy, rule, source }: ExplainedUnit): readonly string[] {
  const by = {
    rule: `the allow rule \`${rule}\`${source ? ` (${formatPlace(source)})` : ''} speaks about it`,
    reads: 'it only reads',
    transparent: 'it needs no rule',
    nothing: 'no allow rule speaks about it',
  }[allowedBy]
  const facts = [
    `in ${cwd ?? 'a folder that is not known'}`,
    ...env.map(({ name, value = '(only known when it runs)' }) => `with ${name}=${value}`),
    ...(via.length > 0 ? [`through ${via.join(', ')}`] : []),
  ]
  return [argv.map(showWord).join(' '), `  ${facts.join(', ')}: ${by}`]
}

function showWord(word: string): string {
  const shown = word.replaceAll(DYNAMIC, '…')
  return /^[\w@%+=:,./~…-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}

function describeEffect({ kind, path, host, recursive, pattern, certain }: Explanation['effects'][number]): string {
  const what = kind === 'net' ? (host ?? 'some host') : (path ?? 'some file')
  const notes = [
    ...(pattern ? ['a pattern'] : []),
    ...(recursive ? ['with everything below'] : []),
    ...(certain ? [] : ['perhaps']),
  ]
  return `${kind.padEnd(6)}${what}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}

function describeStep({ layer, verdict, reason }: TraceStep): string {
  return `${layer.padEnd(10)}${verdict.padEnd(6)}${reason}`
}

function whatWouldAllow({ decision, narrowest }: Explanation): readonly string[] {
  if (decision.behavior === 'allow') return []
  if (narrowest.length > 0) return narrowest.flatMap(({ rule, alsoAllows }) => [`allow ${rule}`, `  ${alsoAllows}`])
  const { rule, source } = decision.decidedBy
  if (rule === undefined) return ['No rule can: it has to be asked each time.']
  return [
    `No allow rule can, as long as \`${rule}\`${source ? ` (${formatPlace(source)})` : ''} stands: it decides first.`,
  ]
}
