import { events } from '@ext/hooks'
import type { Io } from '../../io.js'
import { count } from '../../render/words.js'

export interface EventsOptions {
  readonly json?: boolean
}

/** The table that everything about hooks follows. */
export async function showEvents({ json }: EventsOptions, io: Io): Promise<number> {
  const rows = Object.entries(events)
  if (json) {
    io.out(JSON.stringify(Object.fromEntries(rows), null, 2))
    return 0
  }
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd([20, 19, 10, 9][at] ?? 0))
      .join('')
      .trimEnd()
  io.out(line(['event', 'matcher tests', 'block', 'stdout', 'answers']))
  for (const [name, { matcherField, tier, plainStdout, outputs }] of rows) {
    const matcher = matcherField === 'none' ? '-' : matcherField
    io.out(line([name, matcher, tier, plainStdout, outputs.join(', ') || '-']))
  }
  io.out('')
  io.out(
    'block: hard keeps it from happening, feedback keeps the model going, note tells the model, degrade only the user.',
  )
  io.out('stdout: who gets plain text, the model (context) or the user.')
  io.out(count(rows.length, 'event'))
  return 0
}
