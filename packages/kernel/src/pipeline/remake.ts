import type { Located, SnapshotEntry, Source, SourceRef } from '../types.js'
import { Candidate, type Way } from './candidate.js'
import type { Remake } from './definition.js'

/** What entries have in common whose compiled values can be made again. */
interface Group<E, C> {
  readonly remake: Remake<E, C>
  readonly way: Way
  readonly approved: boolean
  readonly values: Values<E, C>
}

/** Compiled values of one load, for as long as nothing else needs the memory. */
class Values<E, C> {
  #made: WeakRef<Map<RemadeEntry<E, C>, C>>

  constructor(made: Map<RemadeEntry<E, C>, C>) {
    this.#made = new WeakRef(made)
  }

  get(entry: RemadeEntry<E, C>, make: () => C): C {
    let made = this.#made.deref()
    if (!made) {
      made = new Map()
      this.#made = new WeakRef(made)
    }
    const value = made.get(entry) ?? make()
    made.set(entry, value)
    return value
  }
}

/**
 * An entry whose compiled value can be made again. There may be thousands, so it stands for its candidate as well, and
 * keeps nothing that others know.
 */
export class RemadeEntry<E, C> implements SnapshotEntry<C> {
  readonly name: string
  readonly #entry: Located<E>
  readonly #group: Group<E, C>

  constructor(entry: Located<E>, name: string, group: Group<E, C>) {
    this.name = name
    this.#entry = entry
    this.#group = group
  }

  get id(): string {
    return this.#entry.id
  }

  get source(): SourceRef {
    return this.#entry.source
  }

  get value(): C {
    return this.#group.values.get(this, () => this.#group.remake(this.#entry))
  }

  at(pointer?: string, part?: 'key' | 'value'): Source {
    return this.#entry.at(pointer, part)
  }

  candidate(): Candidate<E, C> {
    const { way, approved } = this.#group
    const candidate = new Candidate<E, C>(this.#entry, this.name, way, approved)
    candidate.loaded = this
    return candidate
  }
}

/** Makes such entries, all of one load. */
export function remadeEntries<E, C>(): (
  candidate: Candidate<E, C>,
  remake: Remake<E, C>,
  value?: C,
) => RemadeEntry<E, C> {
  // Whoever holds the function holds the values.
  const made = new Map<RemadeEntry<E, C>, C>()
  const values = new Values(made)
  let last: Group<E, C> | undefined
  return ({ entry, name, way, approved }, remake, value) => {
    if (last?.remake !== remake || last.way !== way || last.approved !== approved)
      last = { remake, way, approved, values }
    const remade = new RemadeEntry(entry, name, last)
    Object.freeze(remade)
    if (value !== undefined) made.set(remade, value)
    return remade
  }
}
