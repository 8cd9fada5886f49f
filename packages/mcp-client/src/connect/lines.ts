const NEWLINE = 10

/**
 * Cuts a stream of bytes into lines of text, in time linear to its size however it is chunked. A line over the limit
 * is dropped and the stream goes on behind it.
 */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #onLine: (line: string) => void
  readonly #onTooLong: () => void
  readonly #decoder = new TextDecoder()
  #parts: Uint8Array[] = []
  #length = 0

  constructor(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxBytes = maxBytes
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  push(chunk: Uint8Array): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      this.#add(chunk.subarray(start, end === -1 ? undefined : end))
      if (end === -1) return
      this.#finish()
      start = end + 1
    }
  }

  #add(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length <= this.#maxBytes) this.#parts.push(part)
    else this.#parts = []
  }

  #finish(): void {
    const parts = this.#parts
    const length = this.#length
    this.#parts = []
    this.#length = 0
    if (length > this.#maxBytes) {
      this.#onTooLong()
      return
    }
    // Joined before it is decoded: a character can be split between two chunks.
    const bytes = new Uint8Array(length)
    let offset = 0
    for (const part of parts) {
      bytes.set(part, offset)
      offset += part.length
    }
    this.#onLine(this.#decoder.decode(bytes))
  }
}
