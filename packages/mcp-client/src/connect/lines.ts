const NEWLINE = 10
/** What is kept of the two ends of a line over the limit. */
const EDGE_BYTES = 1024

export interface LineHost {
  line(text: string): void
  /** A line has become longer than the limit; its first bytes. */
  tooLong(start: string): void
  /** That line has ended; its last bytes. */
  tooLongEnded(end: string): void
}

/**
 * Cuts a stream of bytes into lines of text, in time linear to its size however it is chunked. Of a line over the limit
 * only the two ends are kept, and the stream goes on behind it.
 */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #host: LineHost
  readonly #decoder = new TextDecoder()
  #parts: Uint8Array[] = []
  #length = 0
  #tail: Uint8Array | undefined

  constructor(maxBytes: number, host: LineHost) {
    this.#maxBytes = maxBytes
    this.#host = host
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
    if (this.#tail) this.#tail = lastBytes([this.#tail, part])
    else {
      this.#parts.push(part)
      if (this.#length > this.#maxBytes) this.#overflow()
    }
  }

  #overflow(): void {
    const head: Uint8Array[] = []
    for (let size = 0, at = 0; size < EDGE_BYTES && at < this.#parts.length; at++) {
      const part = (this.#parts[at] ?? new Uint8Array()).subarray(0, EDGE_BYTES - size)
      head.push(part)
      size += part.length
    }
    this.#tail = lastBytes(this.#parts)
    this.#parts = []
    this.#host.tooLong(this.#decoder.decode(join(head)))
  }

  #finish(): void {
    const parts = this.#parts
    const tail = this.#tail
    this.#parts = []
    this.#length = 0
    this.#tail = undefined
    if (tail) this.#host.tooLongEnded(this.#decoder.decode(tail))
    // Joined before it is decoded: a character can be split between two chunks.
    else this.#host.line(this.#decoder.decode(join(parts)))
  }
}

function lastBytes(parts: readonly Uint8Array[]): Uint8Array {
  const kept: Uint8Array[] = []
  for (let size = 0, at = parts.length - 1; size < EDGE_BYTES && at >= 0; at--) {
    const part = (parts[at] ?? new Uint8Array()).slice(-(EDGE_BYTES - size))
    kept.unshift(part)
    size += part.length
  }
  return join(kept)
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (only && parts.length === 1) return only
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
