import { LineSplitter } from '../lines.js'

export interface ServerEvent {
  /** `message` unless the server names another. */
  readonly type: string
  readonly data: string
}

export interface EventHost {
  event(event: ServerEvent): void
  /** The id of the last event, by which a stream is taken up again. */
  id(id: string): void
  /** How long to wait before that, in milliseconds. */
  retry(ms: number): void
  /** The data of an event has become longer than the limit; how it begins. */
  tooLong(start: string): void
  /** That event has ended and is left out; how its data ends, as far as that is known. */
  tooLongEnded(end: string): void
}

/**
 * Reads a stream of server-sent events to its end, as `text/event-stream` of the HTML standard has it. Resolves when the
 * server ends it, rejects with what `fetch` rejects with.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  host: EventHost,
): Promise<void> {
  const reader = body?.getReader()
  if (!reader) return
  let type = ''
  let data: string[] = []
  let length = 0
  let skipped = false
  let end = ''

  const field = (name: string, value: string) => {
    if (name === 'event') type = value
    else if (name === 'id' && !value.includes('\0')) host.id(value)
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) host.retry(Number(value))
    else if (name === 'data' && !skipped) {
      data.push(value)
      // The line itself counts too: there may be many that are empty.
      length += value.length + 1
      if (length > maxBytes) skip(data[0] ?? '')
    }
  }
  const skip = (start: string) => {
    if (!skipped) host.tooLong(start)
    skipped = true
    data = []
  }
  const finish = () => {
    if (skipped) host.tooLongEnded(end)
    else if (data.length > 0) host.event({ type: type || 'message', data: data.join('\n') })
    type = ''
    end = ''
    data = []
    length = 0
    skipped = false
  }
  const lines = new LineSplitter(maxBytes, {
    line(text) {
      const line = text.endsWith('\r') ? text.slice(0, -1) : text
      if (line === '') return finish()
      const colon = line.indexOf(':')
      if (colon === -1) field(line, '')
      // A line that begins with a colon is a comment.
      else if (colon > 0) field(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1))
    },
    tooLong: (start) => skip(start.replace(/^data: ?/, '')),
    tooLongEnded(text) {
      end = text
    },
  })
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    lines.push(value)
  }
}
