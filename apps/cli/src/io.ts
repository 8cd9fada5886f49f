/** What every command gets. */
export interface Io {
  /** Results. */
  out(text: string): void
  /** Messages about the work. */
  err(text: string): void
  readonly signal: AbortSignal
}
