import { compareText, type Verdict } from '@ext/kernel'

/** How entries are listed: by name in any case, and of several of one name, the one that takes effect first. */
export function byName(a: Named, b: Named): number {
  return compareText(a.name.toLowerCase(), b.name.toLowerCase()) || ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict)
}

interface Named {
  readonly name: string
  readonly verdict: Verdict
}

const ORDER: readonly Verdict[] = ['loaded', 'broken', 'disabled', 'untrusted', 'shadowed']
