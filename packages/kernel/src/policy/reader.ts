import type { ConfigDocument } from '../document/document.js'
import { isMap, wrongShape } from '../reader.js'
import { suggest } from '../suggest.js'
import type { Diagnostic } from '../types.js'
import { isPolicyKey, POLICY_KEYS, type PolicyAxis } from './keys.js'

/** A key that is no policy, and the policy that is meant. */
export interface MisspeltPolicy {
  readonly key: string
  readonly meant: string
}

/** Reads the policies of a managed file. What has the wrong shape is an error, and forbids all that it could. */
export class PolicyReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #document: ConfigDocument
  readonly #root: Readonly<Record<string, unknown>>

  constructor(document: ConfigDocument) {
    this.#document = document
    this.#root = isMap(document.value) ? document.value : {}
  }

  at(key: string): unknown {
    return this.#root[key]
  }

  /** Absent: false. What is neither true nor false counts as true. */
  flag(key: string): boolean {
    const value = this.at(key) ?? false
    if (typeof value !== 'boolean') this.wrong(`/${key}`, 'true or false', value)
    return value !== false
  }

  /**
   * What a list allows; nothing, if it is none. Absent: nothing is said.
   * @param read `undefined` for an item that means nothing, which is left out with an error
   */
  list<T>(key: string, read: (text: string) => T | undefined, expected: string): readonly T[] | undefined {
    const value = this.at(key)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) {
      this.wrong(`/${key}`, 'a list', value)
      return []
    }
    return value.flatMap((item: unknown, index) => {
      const known = typeof item === 'string' ? read(item) : undefined
      if (known === undefined) this.wrong(`/${key}/${index}`, expected, item)
      return known === undefined ? [] : [known]
    })
  }

  wrong(pointer: string, expected: string, value: unknown): void {
    this.diagnostics.push(wrongShape(this.#document, pointer, expected, value))
  }
}

/** Policies of an axis that stand in a file. Where everybody can write, they must not look as if they had an effect. */
export function policiesIn(document: ConfigDocument, axis: PolicyAxis): readonly string[] {
  const root = document.value
  return isMap(root) ? POLICY_KEYS[axis].filter((key) => Object.hasOwn(root, key)) : []
}

/**
 * Keys that are near to a policy of this axis and are none, with the policy that is meant: one that is misspelt would let
 * everything pass.
 * @param others keys that mean something else
 */
export function misspeltPolicies(
  document: ConfigDocument,
  axis: PolicyAxis,
  others: readonly string[],
): readonly MisspeltPolicy[] {
  const all = Object.values(POLICY_KEYS).flat()
  return Object.keys(isMap(document.value) ? document.value : {}).flatMap((key) => {
    if (isPolicyKey(key) || others.includes(key)) return []
    const meant = suggest(key, all)
    return meant !== undefined && POLICY_KEYS[axis].includes(meant) ? [{ key, meant }] : []
  })
}
