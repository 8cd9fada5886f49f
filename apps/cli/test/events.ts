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

/** Of a run that was not begun: the message of its result, if that is all it has put out. */
export function notStarted(stdout: string): string | undefined {
  const [line = '', ...others] = stdout.trim().split('\n')
  const event = JSON.parse(line || '{}') as EventOf<'result'>
  const { type, turns, error } = event
  const kind: string | undefined = error?.kind
  const is = type === 'result' && turns === 0 && kind === 'not_started' && others.length === 0
  return is ? error?.message : undefined
}

/** The first call whose input has this value in this field. */
export function callWith(calls: readonly EventOf<'tool_call'>[], field: string, value: string) {
  return calls.find((call) => isMap(call.input) && call.input[field] === value)
}
