import { emitKeypressEvents, type Interface } from 'node:readline'
import { PassThrough } from 'node:stream'

/** A key as `readline` tells it. */
export interface Key {
  readonly name?: string
  /** What the terminal has sent. */
  readonly sequence: string
  readonly ctrl: boolean
  readonly meta: boolean
  readonly shift: boolean
}

export interface Listener {
  /** Hears every key; what is pasted comes as one, named `paste`. */
  pressed(key: Key): void
  /** Hears the column, from 0, when the terminal was asked where the cursor is. */
  cursorAt(column: number): void
}

/** Keys as they are pressed, for as long as nobody else has the terminal. */
export interface Keys {
  /** Begins, or goes on. */
  listen(): void
  /** Leaves the terminal as it was before, for whoever asks something, or for good. */
  leave(): void
}

/**
 * How long an Esc may be the beginning of something longer. By default `readline` waits half a second, and nobody who
 * wants to interrupt waits that long.
 */
const ESCAPE_MS = 50

const CURSOR_AT = /\u001b\[\d+;(\d+)R/g
const PASTE_ON = '\u001b[?2004h'
const PASTE_OFF = '\u001b[?2004l'

export function readKeys(input: NodeJS.ReadStream, output: NodeJS.WriteStream, { pressed, cursorAt }: Listener): Keys {
  // A stream of its own, so that a decoder of somebody who asks in between is never in the way.
  const decoder = new PassThrough()
  emitKeypressEvents(decoder, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface)
  let pasted: string[] | undefined
  decoder.on('keypress', (_text: unknown, key: Key) => {
    if (key.name === 'paste-start') pasted = []
    else if (key.name === 'paste-end') {
      pressed({ name: 'paste', sequence: pasted?.join('') ?? '', ctrl: false, meta: false, shift: false })
      pasted = undefined
    } else if (pasted) pasted.push(key.sequence)
    else pressed(key)
  })
  const take = (chunk: Buffer) => {
    // `readline` does not know this answer, and would take its end for a letter.
    const keys = chunk.toString('latin1').replace(CURSOR_AT, (_answer, column: string) => {
      cursorAt(Number(column) - 1)
      return ''
    })
    if (keys !== '') decoder.write(Buffer.from(keys, 'latin1'))
  }
  let listening = false
  return {
    listen() {
      if (listening) return
      listening = true
      input.setRawMode(true)
      input.on('data', take)
      input.resume()
      output.write(PASTE_ON)
    },
    leave() {
      if (!listening) return
      listening = false
      output.write(PASTE_OFF)
      input.removeListener('data', take)
      input.pause()
      input.setRawMode(false)
    },
  }
}
