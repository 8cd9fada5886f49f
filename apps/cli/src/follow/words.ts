import type { ConfigDifference, ConfigLook } from '@ext/hooks/follow'
import { type Diagnostic, formatPlace } from '@ext/kernel'
import { oneLine } from '../render/words.js'
import type { ChangedSections } from './sections.js'

const CHANGES: Readonly<Record<ConfigDifference['change'], string>> = {
  add: 'is there now',
  change: 'has changed',
  unlink: 'is gone',
}

/**
 * What the user is told of a file that was taken over.
 * @param sections `undefined` where it can't be used
 */
export function describeTaken(
  { path, change, source }: ConfigDifference,
  sections: ChangedSections | undefined,
): readonly string[] {
  const what = `${path} ${CHANGES[change]}`
  if (source === 'agents') return [`${what}; sub-agents are read when the program starts, so that it counts then.`]
  if (!sections) return [`${what} and can not be used as it is; what it held stays in use.`]
  const { now, atStart } = sections
  const lines = now.length > 0 || atStart.length === 0 ? [`${what}${names(now)}; this counts from now on.`] : []
  return atStart.length === 0
    ? lines
    : [...lines, `${what}${names(atStart)}; this counts when the program starts again.`]
}

function names(sections: readonly string[]): string {
  return sections.length === 0 ? '' : ` (${sections.join(', ')})`
}

/** What the user is told of what was not. */
export function describeLeft({ refused, restless, ignored }: ConfigLook): readonly string[] {
  return [
    ...refused.map(
      ({ path, change, by, reason }) =>
        `${path} ${CHANGES[change]}, and the hook ${by} keeps it from being used: ${oneLine(reason, 300)}`,
    ),
    ...restless.map(
      ({ path }) => `${path} changes whenever hooks of ConfigChange are told of it, so what it holds now is not used.`,
    ),
    ...ignored.map(
      ({ path, by, reason }) =>
        `block of the hook ${by} ignored, since ${path} is the administrator’s: ${oneLine(reason, 300)}`,
    ),
  ]
}

const MAX_FINDINGS = 8

/** What is wrong with it, or waits for the person. */
export function describeFindings(found: readonly Diagnostic[]): readonly string[] {
  const worth = found.filter(({ code, severity }) => severity !== 'info' || code === 'config.entry.untrusted')
  const shown = worth.slice(0, MAX_FINDINGS).map(({ code, message, hint, source }) => {
    return `${formatPlace(source)}: ${message}${hint === undefined ? '' : ` ${hint}`} (${code})`
  })
  const more = worth.length - shown.length
  return more > 0 ? [...shown, `${more} more; see ext doctor.`] : shown
}
