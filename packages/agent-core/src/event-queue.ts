import { ExtError } from '@ext/kernel'
import type { RunEvent } from './run-events.js'

/** Events that wait for their reader before neighbouring texts are joined. */
const JOIN_AT = 4096
/** Events that wait for their reader before the oldest are given up: nobody seems to read. */
const MOST = 16_384

/** Hands events from the run to one reader, who may be slow, late, or not there at all. */
export interface EventQueue extends AsyncIterable<RunEvent> {
  push(event: RunEvent): void
  /** No event follows. */
  close(): void
}

export function createEventQueue(): EventQueue {
  let waiting: RunEvent[] = []
  /** The events before it have been read. */
  let head = 0
  let joinAt = JOIN_AT
  let dropped = 0
  let wake = () => {}
  let state: 'open' | 'closed' | 'unread' = 'open'
  let iterated = false

  const next = (): RunEvent | undefined => {
    const event = waiting[head]
    if (!event) {
      waiting = []
      head = 0
      return undefined
    }
    if (dropped > 0) {
      const { v, session_id, ts } = event
      const count = dropped
      dropped = 0
      return { v, type: 'dropped', session_id, ts, count }
    }
    head++
    return event
  }

  /** Written by hand: a generator would not hear that its reader leaves while it waits for an event. */
  const reader: AsyncIterator<RunEvent> = {
    async next() {
      for (;;) {
        const value = state === 'unread' ? undefined : next()
        if (value) return { done: false, value }
        if (state !== 'open') return { done: true, value: undefined }
        await new Promise<void>((resolve) => {
          const others = wake
          wake = () => {
            others()
            resolve()
          }
        })
      }
    },
    async return() {
      state = 'unread'
      waiting = []
      wakeAll()
      return { done: true, value: undefined }
    },
  }

  const wakeAll = () => {
    const all = wake
    wake = () => {}
    all()
  }

  const makeRoom = () => {
    waiting = joinTexts(waiting.slice(head))
    head = 0
    if (waiting.length > MOST) {
      const kept = waiting.slice(-MOST / 2)
      dropped += waiting.length - kept.length
      waiting = kept
    }
    // Only texts can be joined; a good part of room keeps the cost of trying constant per event.
    joinAt = Math.min(MOST, waiting.length + JOIN_AT)
  }

  return {
    push(event) {
      if (state !== 'open') return
      waiting.push(event)
      if (waiting.length - head > joinAt) makeRoom()
      wakeAll()
    },
    close() {
      if (state === 'open') state = 'closed'
      wakeAll()
    },
    [Symbol.asyncIterator]() {
      if (iterated) throw new ExtError('agent-core.run.iterated', 'The events of a run can be iterated once.')
      iterated = true
      return reader
    },
  }
}

function joinTexts(events: readonly RunEvent[]): RunEvent[] {
  const joined: RunEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    const isPiece = event.type === 'text' || event.type === 'reasoning'
    if (isPiece && last?.type === event.type && event.agent_id === last.agent_id) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    } else {
      joined.push(event)
    }
  }
  return joined
}
