/** What every command gets. */
export interface Io {
  /** Results. */
  out(text: string): void
  /** Messages about the work. */
  err(text: string): void
  /** Aborts when the command is to end early. */
  readonly signal: AbortSignal
  /** Ends the command as Ctrl+C does. */
  interrupt(): void
}
