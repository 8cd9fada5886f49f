/** Keeps the first bytes of a stream, and if asked the last ones, and counts the rest. */
export class OutputBuffer {
  received = 0
  readonly #limit: number
  readonly #tailLimit: number
  readonly #chunks: Buffer[] = []
  #last: Buffer[] = []
  #lastBytes = 0

  constructor(limit: number, tailLimit: number) {
    this.#limit = limit
    this.#tailLimit = tailLimit
  }

  push(chunk: Buffer): void {
    const room = Math.max(0, this.#limit - this.received)
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    const isFirstOver = this.received <= this.#limit && chunk.length > room
    this.received += chunk.length
    if (this.#tailLimit === 0 || chunk.length <= room) return
    if (isFirstOver) this.#moveHalfCharacter()
    this.#pushLast(chunk.subarray(room))
  }

  /** Invalid UTF-8 becomes the replacement character. */
  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }

  /** The end of what is beyond the first bytes. */
  tail(): string {
    const bytes = Buffer.concat(this.#last)
    if (bytes.length <= this.#tailLimit) return bytes.toString('utf8')
    let start = bytes.length - this.#tailLimit
    // Not in the middle of a character: a byte 10xxxxxx goes on with one.
    while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
    return bytes.toString('utf8', start)
  }

  /** A character that begins in the first bytes and ends behind them belongs to the end. */
  #moveHalfCharacter(): void {
    const head = Buffer.concat(this.#chunks)
    let start = head.length - 1
    while (start > head.length - 4 && ((head[start] ?? 0) & 0xc0) === 0x80) start--
    const lead = head[start] ?? 0
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
    if (start < 0 || start + length <= head.length) return
    this.#chunks.splice(0, this.#chunks.length, head.subarray(0, start))
    this.#pushLast(head.subarray(start))
  }

  #pushLast(chunk: Buffer): void {
    this.#last.push(chunk)
    this.#lastBytes += chunk.length
    // Joined once it is twice as much as is needed, so that each byte is copied once.
    if (this.#lastBytes < 2 * this.#tailLimit + 65_536) return
    const kept = Buffer.from(Buffer.concat(this.#last).subarray(-this.#tailLimit))
    this.#last = [kept]
    this.#lastBytes = kept.length
  }
}
