const BRAND = Symbol.for('@ext/kernel/ExtError')

/**
 * A programmer's error or a state that the caller must handle. What a user's file or a remote side can cause is a
 * {@link Diagnostic} or a result instead. Two copies of this package may be installed, so test with
 * {@link ExtError.isInstance}, not with `instanceof`.
 */
export class ExtError extends Error {
  /** Stable and dotted, for example `kernel.reader.unknown`. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExtError'
    this.code = code
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** Whether a value is an error of this class, also one of another copy of this package. */
  static isInstance(value: unknown): value is ExtError {
    return typeof value === 'object' && value !== null && BRAND in value
  }
}

/** A message for people from whatever was thrown. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'something without a message was thrown'
  }
}
