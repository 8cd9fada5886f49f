import type { LayerName, SourceRef } from '../types.js'

/** The policies of managed files, by file, from load to load. */
export class PolicyFiles<P> {
  #before: ReadonlyMap<string, P> = new Map()
  #now = new Map<string, P>()

  /** Before each load. */
  begin(): void {
    this.#before = this.#now
    this.#now = new Map()
  }

  /** What a file says in this load. */
  take(source: SourceRef, policy: P): void {
    this.#now.set(keyOf(source), policy)
  }

  /** A file that can't be read now says what it said before. */
  keep(source: SourceRef): void {
    const before = this.#before.get(keyOf(source))
    if (before !== undefined) this.#now.set(keyOf(source), before)
  }

  /** In the order in which they were taken. */
  get all(): readonly P[] {
    return [...this.#now.values()]
  }
}

/** What the administrator and the embedder configure is not for policies to judge. */
export function isExemptFromPolicies(layer: LayerName): boolean {
  return layer === 'managed' || layer === 'built-in' || layer === 'session'
}

function keyOf({ layer, file, name }: SourceRef): string {
  return JSON.stringify([layer, file ?? null, name ?? null])
}
