/** Puts text together in which blanks mean nothing, as in a page, but for the parts that are kept as they are. */
export class TextWriter {
  #text = ''
  #line = ''
  /** Line breaks that come before the next text. */
  #breaks = 0
  #indent = ''
  /** Nothing stands before the next text on its line, or a blank does. Kept, for looking at the end of a long text costs its length. */
  #afterBlank = true
  #asIs = 0

  /** Room that is used so far. */
  get length(): number {
    return this.#text.length + this.#line.length
  }

  /** Text of the page. */
  write(text: string): void {
    if (this.#asIs > 0) this.#append(text)
    else {
      const plain = text.replace(/[ \t\r\n\f]+/g, ' ')
      const isStart = this.#breaks > 0 || this.#afterBlank
      this.#append(isStart && plain.startsWith(' ') ? plain.slice(1) : plain)
    }
  }

  /** Marks that go with the text: they stand as they are, on the line of what comes next. */
  mark(text: string): void {
    this.#append(text)
  }

  /** Ends the line; with 2, an empty one follows. */
  break(lines: 1 | 2): void {
    if (this.length > 0) this.#breaks = Math.max(this.#breaks, lines)
  }

  indent(by: 1 | -1): void {
    this.break(1)
    this.#endLine()
    this.#indent = by === 1 ? `${this.#indent}  ` : this.#indent.slice(2)
  }

  keepBlanks(on: boolean): void {
    this.#asIs = Math.max(0, this.#asIs + (on ? 1 : -1))
  }

  text(): string {
    this.#endLine()
    return this.#text.trimEnd()
  }

  #append(text: string): void {
    if (text === '') return
    if (this.#breaks > 0) {
      this.#endLine()
      if (this.#text !== '') this.#text += '\n'.repeat(this.#breaks)
      this.#breaks = 0
    }
    this.#line += text
    this.#afterBlank = text.endsWith(' ')
  }

  #endLine(): void {
    const line = this.#line.trimEnd()
    if (line !== '') this.#text += line.replace(/^|\n/g, (start) => `${start}${this.#indent}`)
    this.#line = ''
    this.#afterBlank = true
  }
}
