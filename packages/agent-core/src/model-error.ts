import { ExtError } from '@ext/kernel'
import type { StopError } from '@ext/kernel/contract'

/** What can be wrong with a model call, besides the abort of the run. */
export type ModelErrorKind = Extract<
  StopError,
  | 'overloaded'
  | 'rate_limit'
  | 'network'
  | 'authentication'
  | 'context_length'
  | 'invalid_request'
  | 'no_answer'
  | 'unknown'
>

export const MODEL_ERROR_KINDS: readonly ModelErrorKind[] = [
  'overloaded',
  'rate_limit',
  'network',
  'authentication',
  'context_length',
  'invalid_request',
  'no_answer',
  'unknown',
]

const PREFIX = 'agent-core.model.'

/**
 * What the stream of a {@link Model} throws to say what is wrong; its code is `agent-core.model.` and the kind. Anything
 * else that a stream throws is of kind `unknown`.
 */
export class ModelError extends ExtError {
  readonly kind: ModelErrorKind
  /** How long the other side wants to be left alone, in milliseconds. */
  readonly retryAfterMs?: number

  constructor(kind: ModelErrorKind, message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(`${PREFIX}${kind}`, message, options)
    this.name = 'ModelError'
    this.kind = kind
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

/** What went wrong, also for an error of another copy of this package. */
export function modelErrorOf(error: unknown): { readonly kind: ModelErrorKind; readonly retryAfterMs?: number } {
  if (!ExtError.isInstance(error) || !error.code.startsWith(PREFIX)) return { kind: 'unknown' }
  const kind = MODEL_ERROR_KINDS.find((each) => error.code === PREFIX + each) ?? 'unknown'
  const retryAfterMs = 'retryAfterMs' in error ? error.retryAfterMs : undefined
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? { kind, retryAfterMs } : { kind }
}
