const TAIL = 4096
/** What a line may have; the rest of it is left out. */
const LINE = 8192

/** What a server writes to stderr: line by line for who listens, and its end for who asks later. */
export class ServerLog {
  readonly #mask: (text: string) => string
  readonly #onLine: ((line: string) => void) | undefined
  readonly #decoder = new TextDecoder()
  #tail = ''
  #line = ''

  constructor(mask: (text: string) => string, onLine: ((line: string) => void) | undefined) {
    this.#mask = mask
    this.#onLine = onLine
  }

  /** The last 4 KiB, masked and without control characters. */
  get tail(): string {
    // Once more as a whole: a secret can have more than one line.
    return this.#mask(this.#tail + this.#clean(this.#line)).slice(-TAIL)
  }

  push(chunk: Uint8Array): void {
    const lines = this.#decoder.decode(chunk, { stream: true }).split('\n')
    for (const [index, part] of lines.entries()) {
      if (this.#line.length <= LINE) this.#line += part
      if (index < lines.length - 1) this.#finish()
    }
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#line !== '') this.#finish()
  }

  #finish(): void {
    const line = this.#clean(this.#line)
    this.#line = ''
    this.#tail = `${this.#tail}${line}\n`.slice(-TAIL)
    const listener = this.#onLine
    // Not from here: a listener that throws must not end up in the life of a server.
    if (listener) queueMicrotask(() => listener(line))
  }

  #clean(line: string): string {
    if (line.length <= LINE) return this.#mask(plain(line))
    // Cut between two words, since half a secret would not be recognised.
    return `${this.#mask(plain(line.slice(0, line.slice(0, LINE).search(/\s\S*$/) + 1)))}…`
  }
}

/** What a remote side says about itself or about an error, as one line of a length that people read. */
export function remark(text: string, max = 500): string {
  const line = plain(text).replace(/\s+/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max)}…` : line
}

/** What a server writes can end up in a terminal, where escape sequences act. */
export function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
