import { fakeClock } from '@ext/kernel/testing'
import type { Diagnostic } from '@ext/kernel/types'
import { loadRecording, type Recording, type RecordingOptions, recordedModel } from '../../src/replay/index.js'
import type { Message, Model, ModelEvent, ModelRequest } from '../../src/types.js'

export const FILE = '/p/run.jsonl'

/** Gives what `answer` says for each request; a function among it is called when the stream gets there. */
export function answering(
  answer: (request: ModelRequest, call: number) => readonly (ModelEvent | (() => unknown))[],
): Model {
  let call = 0
  return {
    id: 'acme/one',
    async *stream(request) {
      for (const event of answer(request, ++call)) {
        if (typeof event === 'function') await event()
        else yield event
      }
    },
  }
}

export const text = (value: string): ModelEvent => ({ type: 'text', text: value })

export const user = (value: string): Message => ({ role: 'user', content: [{ type: 'text', text: value }] })

export const said = (value: string): Message => ({ role: 'assistant', text: value, calls: [] })

export function request(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'You help.', tools: [], messages, ...more }
}

/** What came of one call, also when it failed. */
export interface Heard {
  readonly events: readonly ModelEvent[]
  readonly error?: unknown
}

export async function ask(model: Model, asked: ModelRequest, signal = new AbortController().signal): Promise<Heard> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(asked, { signal })) events.push(event)
  } catch (error) {
    return { events, error }
  }
  return { events }
}

/** Records into a text, with a clock that stands still until it is moved. */
export function recorder(model: Model, more: Partial<RecordingOptions> = {}) {
  const clock = fakeClock(1000)
  const lines: string[] = []
  const recorded = recordedModel(model, {
    clock,
    write: (line) => {
      lines.push(line)
    },
    onError: (error) => {
      throw error
    },
    ...more,
  })
  return {
    clock,
    lines,
    model: recorded,
    async text() {
      await recorded.written()
      return lines.join('')
    },
    async load() {
      return loaded(await this.text())
    },
  }
}

/** A recording without anything to say about it. */
export async function loaded(jsonl: string): Promise<Recording> {
  const { value, diagnostics } = await loadRecording(jsonl, { file: FILE })
  if (!value || diagnostics.length > 0) throw new Error(`not loaded: ${JSON.stringify(diagnostics)}`)
  return value
}

export function places(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(
    ({ code, severity, source }) => `${source.file}:${source.line}:${source.column} ${severity} ${code}`,
  )
}
