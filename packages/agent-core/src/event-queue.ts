import { ExtError } from '@ext/kernel'
import type { RunEvent } from './run-events.js'

/** Events that wait for their reader before neighbouring texts are joined. */
const CAPACITY = 1024

/** Hands events from the run to one reader, who may be slow, late, or not there at all. */
export interface EventQueue extends AsyncIterable<RunEvent> {
  push(event: RunEvent): void
  /** No event follows. */
  close(): void
}

export function createEventQueue(): EventQueue {
  let waiting: RunEvent[] = []
  let joinAt = CAPACITY
  let wake: (() => void) | undefined
  let state: 'open' | 'closed' | 'unread' = 'open'
  let iterated = false

  async function* read(): AsyncGenerator<RunEvent> {
    try {
      for (;;) {
        for (let event = waiting.shift(); event; event = waiting.shift()) yield event
        if (state === 'closed') return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      state = 'unread'
      waiting = []
    }
  }

  return {
    push(event) {
      if (state !== 'open') return
      waiting.push(event)
      if (waiting.length > joinAt) {
        waiting = joinTexts(waiting)
        // Only texts can be joined; doubling keeps the cost of trying constant per event.
        joinAt = Math.max(CAPACITY, 2 * waiting.length)
      }
      wake?.()
    },
    close() {
      if (state === 'open') state = 'closed'
      wake?.()
    },
    [Symbol.asyncIterator]() {
      if (iterated) throw new ExtError('agent-core.run.iterated', 'The events of a run can be iterated once.')
      iterated = true
      return read()
    },
  }
}

function joinTexts(events: readonly RunEvent[]): RunEvent[] {
  const joined: RunEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (event.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    } else {
      joined.push(event)
    }
  }
  return joined
}
