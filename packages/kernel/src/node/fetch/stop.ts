import type { FetchFailure, FetchProblem, FetchRefusal } from '../../types.js'

/** Ends a request with a result that says why. Internal: `nodeFetch` turns it back into the value. */
export class FetchStop extends Error {
  readonly problem: FetchProblem

  constructor(problem: FetchProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** The guard does not let it happen. */
export function refused(reason: FetchRefusal, message: string): FetchStop {
  return new FetchStop({ outcome: 'refused', reason, message })
}

/** It was let through, and did not work. */
export function failed(reason: FetchFailure, message: string): FetchStop {
  return new FetchStop({ outcome: 'failed', reason, message })
}

/** What became of a network operation, as the end of a sentence. Errors of several attempts have an empty message. */
export function explain(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return String(message || code || error).replace(/\.$/, '')
}
