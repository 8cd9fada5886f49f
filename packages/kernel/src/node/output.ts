/** Keeps the first bytes of a stream and counts the rest. */
export class OutputBuffer {
  received = 0
  readonly #limit: number
  readonly #chunks: Buffer[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  push(chunk: Buffer): void {
    const room = this.#limit - this.received
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.received += chunk.length
  }

  /** Invalid UTF-8 becomes the replacement character. */
  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }
}
