import { plain } from './log.js'
import { Fault, type Seen } from './session.js'

const JUNK_SAMPLE = 80
/** As much of a line is searched for secrets. */
const JUNK_HEAD = 4096
const MIB = 1024 * 1024

/** Counts what a server sends besides answers. */
export class Sightings {
  readonly #mask: (text: string) => string
  readonly #maxBytes: number
  #junk = { lines: 0, first: '' }
  #tooLarge = 0

  constructor(mask: (text: string) => string, maxBytes: number) {
    this.#mask = mask
    this.#maxBytes = maxBytes
  }

  get counts(): Pick<Seen, 'junk' | 'tooLarge'> {
    return { junk: this.#junk, tooLarge: this.#tooLarge }
  }

  /** Something that is no message. */
  addJunk(text: string): void {
    const { lines, first } = this.#junk
    this.#junk = {
      lines: lines + 1,
      first: lines === 0 ? this.#mask(plain(text.slice(0, JUNK_HEAD))).slice(0, JUNK_SAMPLE) : first,
    }
  }

  /** A message over the limit; what its request died of. */
  addTooLarge(): Fault {
    this.#tooLarge++
    return this.tooLarge()
  }

  tooLarge(): Fault {
    const limit = this.#maxBytes >= MIB ? `${Math.floor(this.#maxBytes / MIB)} MiB` : `${this.#maxBytes} bytes`
    const message = `gave an answer of more than ${limit}, which was dropped`
    return new Fault('protocol', message, { hint: 'Ask for less at a time.' })
  }
}
