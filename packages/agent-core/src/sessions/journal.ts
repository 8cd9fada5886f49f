import { ExtError, messageOf } from '@ext/kernel'
import type { ClockPort } from '@ext/kernel/types'
import { createLimit } from '../signals.js'
import { timestamps } from '../timestamps.js'
import { LOG_VERSION, type SessionEvent, type SessionEventFields, type SessionHeader, SINCE } from './log.js'
import type { SessionStore, SessionWriter } from './store.js'

/** Longest time that a run waits for a store. One that takes longer is given up. */
const STORE_MS = 10_000

/** Keeps what happens in a session. Never throws: what can't be kept is said once, and then no more is tried. */
export interface Journal {
  /** Says who is told of a loss, from now on and if there was one that nobody was told of. */
  listen(tell: (text: string) => void): void
  /** Begins the log of a new session. What was written before is kept with it. `undefined` if it has begun. */
  begin(signal: AbortSignal): Promise<void> | undefined
  write<T extends keyof SessionEventFields>(type: T, fields: SessionEventFields[T]): void
  /** Settles once the store has what was written; `undefined` if it has it already. */
  reached(signal: AbortSignal): Promise<void> | undefined
  /** Has it made safe against the end of the machine, beside whatever else happens. */
  turnOver(): void
  /** Settles once all of it is safe, or `signal` has aborted. */
  settled(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** @param start of a new session: where and with what its log begins; of one that goes on: what writes it, and how old it is */
export function createJournal(
  clock: ClockPort,
  start:
    | { readonly store: SessionStore; readonly header: () => SessionHeader }
    | { readonly writer: SessionWriter; readonly version: number },
): Journal {
  const stamp = timestamps(clock)
  const waiting: SessionEvent[] = []
  let writer = 'writer' in start ? start.writer : undefined
  const version = 'version' in start ? start.version : LOG_VERSION
  let creating: Promise<void> | undefined
  let lost = false
  /** Appends that the store has not settled yet, one after the other. */
  let pending: Promise<void> | undefined
  /** The sync that runs, and whether another one has to follow. */
  let syncing: Promise<void> | undefined
  let dirty = false
  let untold: string | undefined
  let tell: ((text: string) => void) | undefined

  const lose = (error: unknown) => {
    if (lost) return
    lost = true
    const text = `The session is not kept from here on: ${messageOf(error)}`
    if (tell) tell(text)
    else untold = text
  }

  function append(events: readonly SessionEvent[]): void {
    if (lost || !writer) return
    const to = writer
    if (pending) {
      pending = pending.then(() => appendNow(to, events))
      forget(pending)
      return
    }
    const written = appendNow(to, events)
    if (!written) return
    pending = written
    forget(written)
  }

  function appendNow(to: SessionWriter, events: readonly SessionEvent[]): Promise<void> | undefined {
    if (lost) return undefined
    dirty = true
    try {
      const written = to.append(events)
      return written instanceof Promise ? written.catch(lose) : undefined
    } catch (error) {
      lose(error)
      return undefined
    }
  }

  function forget(written: Promise<void>): void {
    void written.then(() => {
      if (pending === written) pending = undefined
    })
  }

  function sync(): Promise<void> {
    syncing ??= (async () => {
      while (dirty && !lost && writer) {
        await pending
        dirty = false
        try {
          await writer.sync()
        } catch (error) {
          lose(error)
        }
      }
    })().finally(() => {
      syncing = undefined
    })
    return syncing
  }

  /** A store that hangs costs the log, not the run. */
  async function held(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await createLimit(clock, STORE_MS, signal).hold(work)
    } catch (error) {
      if (!signal.aborted) lose(error)
    }
  }

  return {
    listen(listener) {
      tell = listener
      if (untold !== undefined) tell(untold)
      untold = undefined
    },
    begin(signal) {
      if (lost || writer || !('store' in start)) return undefined
      creating ??= create(start.store, start.header()).then((made) => {
        writer = made
        if (waiting.length > 0) append(waiting.splice(0))
      })
      return held(creating, signal)
    },
    write(type, fields) {
      if (lost || (SINCE[type] ?? 0) > version) return
      const event = { type, at: stamp(), ...fields } as unknown as SessionEvent
      if (writer) append([event])
      else waiting.push(event)
    },
    reached: (signal) => (pending && !lost ? held(pending, signal) : undefined),
    turnOver() {
      if (dirty && !lost && writer) void sync()
    },
    async settled(signal) {
      if (!lost && (dirty || syncing)) await held(sync(), signal)
    },
    async close() {
      const { signal } = new AbortController()
      if (!lost && (dirty || syncing)) await held(sync(), signal)
      const open = writer
      if (open) await held((async () => open.close())(), signal)
      lost = true
    },
  }
}

/** A store in plain JavaScript may throw, or give nothing. */
async function create(store: SessionStore, header: SessionHeader): Promise<SessionWriter> {
  const writer = await store.create(header)
  if (typeof writer?.append === 'function') return writer
  throw new ExtError('agent-core.session.store', '`store.create` gave nothing that could be written to')
}
