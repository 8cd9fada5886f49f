import { randomUUID } from 'node:crypto'
import type { RunEvent, RunResult } from '@ext/agent-core/types'
import type { Io } from '../io.js'
import { createTranscript } from '../render/transcript.js'

/** In which form a run goes to standard output. */
export type OutputForm = 'text' | 'json' | 'stream-json'

export interface RunOutput {
  show(event: RunEvent): void
  /** The session is over. Whatever its end brought stands before the result, which is the last that is said. */
  end(result: RunResult, sessionId: string): void
  /** Nothing was run, or not to its end. Programs get a result all the same, so that there is always one. */
  refuse(message: string): void
}

/** The result of a run that was never begun. */
interface NotStarted extends Omit<RunResult, 'error'> {
  readonly error: { readonly kind: 'not_started'; readonly message: string }
}

/** @param project absolute; places below it are shown relative to it */
export function runOutput(form: OutputForm, project: string, io: Io): RunOutput {
  if (form === 'json') {
    const say = (result: RunResult | NotStarted, id: string) => io.out(JSON.stringify({ ...result, session_id: id }))
    return { show() {}, end: say, refuse: (message) => say(notStarted(message), randomUUID()) }
  }
  const { write, refuse } = form === 'stream-json' ? lines(io) : transcript(project, io)
  let result: RunEvent | undefined
  const end = () => {
    if (result) write(result)
  }
  return {
    show(event) {
      if (event.type === 'result') result = event
      else write(event)
    },
    end,
    // What went wrong after the end changes no result.
    refuse: (message) => (result ? end() : refuse(message)),
  }
}

interface Writer extends Pick<RunOutput, 'refuse'> {
  write(event: RunEvent): void
}

function lines(io: Io): Writer {
  return {
    write: (event) => io.out(JSON.stringify(event)),
    // No session was begun, and none is kept under this id.
    refuse: (message) =>
      io.out(
        JSON.stringify({
          v: 1,
          type: 'result',
          session_id: randomUUID(),
          ts: new Date().toISOString(),
          ...notStarted(message),
        }),
      ),
  }
}

function transcript(project: string, io: Io): Writer {
  const shown = createTranscript(project)
  return {
    write(event) {
      for (const line of shown.add(event)) io.out(line)
    },
    // The message alone says it.
    refuse() {},
  }
}

function notStarted(message: string): NotStarted {
  return {
    reason: 'error',
    text: '',
    usage: { inputTokens: 0, outputTokens: 0 },
    turns: 0,
    error: { kind: 'not_started', message },
  }
}
