import type { Located, SnapshotEntry, Source, SourceRef } from '../types.js'
import type { Remake } from './definition.js'

/** Compiled values of one load that can be made again: they stay for as long as nothing else needs the memory. */
export class RemadeValues<E, C> {
  readonly #remakes: Remake<E, C>[] = []
  #made: WeakRef<C[]> | undefined

  add(entry: Located<E>, name: string, remake: Remake<E, C>): SnapshotEntry<C> {
    this.#remakes.push(remake)
    return Object.freeze(new RemadeEntry(entry, name, this, this.#remakes.length - 1))
  }

  get(index: number, entry: Located<E>): C {
    const made = this.#made?.deref() ?? this.keep([])
    const value = made[index] ?? this.#remakes[index]?.(entry)
    if (value === undefined) throw new TypeError('What was compiled once can be compiled again.')
    made[index] = value
    return value
  }

  /** Takes values that are made already, in the order of their entries. */
  keep(made: C[]): C[] {
    this.#made = new WeakRef(made)
    return made
  }
}

/** There may be thousands, so it keeps nothing that its entry knows. */
class RemadeEntry<E, C> implements SnapshotEntry<C> {
  readonly name: string
  readonly #entry: Located<E>
  readonly #values: RemadeValues<E, C>
  readonly #index: number

  constructor(entry: Located<E>, name: string, values: RemadeValues<E, C>, index: number) {
    this.name = name
    this.#entry = entry
    this.#values = values
    this.#index = index
  }

  get id(): string {
    return this.#entry.id
  }

  get source(): SourceRef {
    return this.#entry.source
  }

  get value(): C {
    return this.#values.get(this.#index, this.#entry)
  }

  at(pointer?: string, part?: 'key' | 'value'): Source {
    return this.#entry.at(pointer, part)
  }
}
