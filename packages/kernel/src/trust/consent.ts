import { findFacts } from './facts.js'
import type { Change, Consent, Fact, HashPort, TrustSubject } from './types.js'

/** Part of every hash: raised when the meaning of a fact changes, so that everybody is asked again. */
const FORM = 1

/** What a person would agree to, with scripts as they are right now. */
export function consentTo(subject: TrustSubject, port: HashPort): Consent {
  const { kind, name } = subject
  const { root, facts, problems } = findFacts(subject, port)
  const covered = [FORM, kind, name, root, facts.map(({ field, value }) => [field, value])]
  return { kind, name, root, facts, hash: port.sha256(JSON.stringify(covered)), subject, problems }
}

/** In the order of the newer facts, what is gone last. */
export function changesBetween(before: readonly Fact[], after: readonly Fact[]): readonly Change[] {
  const old = new Map(before.map(({ field, value }) => [field, value]))
  const changed = after.flatMap(({ field, value }): readonly Change[] => {
    const was = old.get(field)
    old.delete(field)
    if (was === value) return []
    return [was === undefined ? { field, after: value } : { field, before: was, after: value }]
  })
  return [...changed, ...[...old].map(([field, value]): Change => ({ field, before: value }))]
}

const KEPT_WHOLE = 400

/** Facts as a store keeps them: to say what has changed, the beginning of a long text and its hash will do. */
export function shortFacts(facts: readonly Fact[], port: HashPort): readonly Fact[] {
  return facts.map((fact) => {
    const { field, value } = fact
    if (value.length <= KEPT_WHOLE) return fact
    const start = value.slice(0, KEPT_WHOLE / 2)
    return { field, value: `${start}… (${value.length} characters, sha256 ${port.sha256(JSON.stringify(value))})` }
  })
}
