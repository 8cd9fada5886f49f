import type { Approval, TrustStore } from '../trust/types.js'

/** A trust store that lasts as long as the test. It has room for everything and nothing to complain about. */
export function memoryTrustStore(): TrustStore {
  let approvals: readonly Approval[] = []
  const state = () => ({ approvals, diagnostics: [] })
  return {
    load: async () => state(),
    async update(change) {
      approvals = change(approvals, () => true) ?? approvals
      return state()
    },
  }
}
