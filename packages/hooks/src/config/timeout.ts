import { createReporter, type Diagnostic, describe, isMap, type Located } from '@ext/kernel'
import { parseDuration } from '@ext/kernel/duration'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/** Takes `timeout` out and reads it: as a duration with its unit, and a bare number as the dialect has it, if it does. */
export function takeTimeout(
  entry: Located<unknown>,
  options: { readonly bareUnit?: 's' } = {},
): {
  readonly rest: Located<unknown>
  readonly ms?: number
  readonly invalid: boolean
  readonly diagnostics: readonly Diagnostic[]
} {
  if (!isMap(entry.value) || !Object.hasOwn(entry.value, 'timeout'))
    return { rest: entry, invalid: false, diagnostics: [] }
  const { timeout, ...others } = entry.value
  const rest = { ...entry, value: others }
  const { ms, problem } = parseDuration(timeout, options)
  if (problem === undefined) return { rest, ms, invalid: false, diagnostics: [] }
  const diagnostic = report.error(
    'hooks.timeout.invalid',
    entry.at('/timeout'),
    `\`timeout\` is ${describe(timeout)}: ${problem}.`,
    {
      entry: entry.id,
      pointer: `${entry.pointer}/timeout`,
      hint: `Write ${options.bareUnit ? 'a number of seconds such as 30' : 'a duration such as 30s'}.`,
    },
  )
  return { rest, invalid: true, diagnostics: [diagnostic] }
}
