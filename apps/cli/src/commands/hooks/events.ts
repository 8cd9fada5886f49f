import { events, unfiredEvents } from '@ext/hooks'
import type { Io } from '../../io.js'
import { count } from '../../render/words.js'

export interface EventsOptions {
  readonly json?: boolean
}

/** The table that everything about hooks follows. */
export async function showEvents({ json }: EventsOptions, io: Io): Promise<number> {
  const rows = Object.entries(events)
  if (json) {
    const fired = rows.map(([name, row]) => [name, { fired: true, ...row }])
    const others = unfiredEvents.map((name) => [name, { fired: false }])
    io.out(JSON.stringify(Object.fromEntries([...fired, ...others]), null, 2))
    return 0
  }
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd([22, 10, 19, 10, 9][at] ?? 0))
      .join('')
      .trimEnd()
  io.out(line(['event', 'fired by', 'matcher tests', 'block', 'stdout', 'answers']))
  for (const [name, { owner, matcherField, tier, plainStdout, outputs }] of rows) {
    const matcher = matcherField === 'none' ? '-' : matcherField
    io.out(line([name, owner === 'core' ? 'loop' : 'program', matcher, tier, plainStdout, outputs.join(', ') || '-']))
  }
  for (const name of unfiredEvents) io.out(line([name, 'nobody']))
  io.out('')
  io.out('fired by: the loop of the agent, the program around it, or nobody: a hook for such an event never runs here.')
  io.out(
    'block: hard keeps it from happening, feedback keeps the model going, note tells the model, degrade only the user.',
  )
  io.out('stdout: who gets plain text, the model (context) or the user.')
  io.out(`${count(rows.length, 'event')}, ${unfiredEvents.length} more are never fired here`)
  return 0
}
