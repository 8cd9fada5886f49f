import type { RunEvent } from '@ext/agent-core/types'
import { isMap } from '@ext/kernel'
import { ext } from './bin.js'

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

/** Runs one prompt and reads the machine-readable stream. */
export async function runEvents(
  project: string,
  flags: readonly string[] = ['--trust-project'],
  home?: string,
  prompt = 'Prepare the release.',
) {
  const ran = await ext(
    ['run', '--project', project, '--output', 'stream-json', ...flags, prompt],
    home ? { home } : {},
  )
  const events = ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunEvent)
  return {
    ...ran,
    events,
    of: <T extends RunEvent['type']>(type: T) => events.filter((e): e is EventOf<T> => e.type === type),
  }
}

/** The first call whose input has this value in this field. */
export function callWith(calls: readonly EventOf<'tool_call'>[], field: string, value: string) {
  return calls.find((call) => isMap(call.input) && call.input[field] === value)
}
