import { keysOfRule } from '../rule/keys.js'
import type { PlacedRule } from './ruleset.js'

/** Finds the rules that may speak about a call without looking at all the others. */
export class RuleIndex {
  readonly #byKey = new Map<string, PlacedRule[]>()
  readonly #always: PlacedRule[] = []
  readonly size: number

  constructor(rules: readonly PlacedRule[]) {
    this.size = rules.length
    for (const rule of rules) {
      const keys = keysOfRule(rule.compiled)
      if (!keys) this.#always.push(rule)
      for (const key of keys ?? []) {
        const list = this.#byKey.get(key)
        if (list) list.push(rule)
        else this.#byKey.set(key, [rule])
      }
    }
  }

  /**
   * The rule that was written first and passes the test.
   * @param keys `undefined`: of what can't be judged, so every rule may speak about it
   */
  first(keys: readonly string[] | undefined, test: (rule: PlacedRule) => boolean): PlacedRule | undefined {
    if (this.size === 0) return undefined
    let found: PlacedRule | undefined
    const consider = (rules: readonly PlacedRule[] | undefined) => {
      if (!rules) return
      for (const rule of rules) {
        if (found && rule.order >= found.order) return
        if (test(rule)) {
          found = rule
          return
        }
      }
    }
    consider(this.#always)
    if (keys) for (const key of this.#byKey.size > 0 ? keys : []) consider(this.#byKey.get(key))
    else for (const rules of this.#byKey.values()) consider(rules)
    return found
  }

  /** All rules of these keys. */
  of(keys: readonly string[]): readonly PlacedRule[] {
    let found: readonly PlacedRule[] = this.#always
    for (const key of this.#byKey.size > 0 ? keys : []) {
      const rules = this.#byKey.get(key)
      if (rules) found = found.length === 0 ? rules : [...found, ...rules]
    }
    return found
  }

  *[Symbol.iterator](): Iterator<PlacedRule> {
    yield* this.#always
    for (const rules of this.#byKey.values()) yield* rules
  }
}
