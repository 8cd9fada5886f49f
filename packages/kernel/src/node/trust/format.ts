import { isMap } from '../../reader.js'
import type { Approval, Fact } from '../../trust/types.js'

/** The form of the file. A reader of one form believes no other: what it does not know may be a restriction. */
const VERSION = 1

export const MAX_STORE_BYTES: number = 1024 * 1024

export type ParsedStore =
  | { readonly approvals: readonly Approval[]; readonly fault?: undefined }
  | { readonly fault: 'corrupt' | 'version'; readonly message: string }

/** One approval a line, so that people and `diff` can read the file. */
export function formatStore(approvals: readonly Approval[]): string {
  const lines = approvals.map(({ facts, ...approval }) =>
    JSON.stringify({ ...approval, facts: Object.fromEntries(facts.map(({ field, value }) => [field, value])) }),
  )
  return `{"version":${VERSION},"approvals":[\n${lines.join(',\n')}\n]}\n`
}

/** All or nothing: an approval that is not understood makes the whole file doubtful. */
export function parseStore(text: string): ParsedStore {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'corrupt', message: 'it is not JSON' }
  }
  if (!isMap(value) || typeof value['version'] !== 'number') return { fault: 'corrupt', message: 'it has no version' }
  if (value['version'] !== VERSION) {
    return { fault: 'version', message: `it has version ${value['version']}, and ${VERSION} is the one known here` }
  }
  const { approvals: items } = value
  if (!Array.isArray(items)) return { fault: 'corrupt', message: 'it has no list of approvals' }
  const approvals: Approval[] = []
  for (const [index, item] of items.entries()) {
    const approval = toApproval(item)
    if (!approval) return { fault: 'corrupt', message: `approval ${index + 1} is not one` }
    approvals.push(approval)
  }
  return { approvals }
}

function toApproval(item: unknown): Approval | undefined {
  if (!isMap(item) || !isMap(item['facts'])) return undefined
  const { kind, name, root, hash, approvedAt, by } = item
  const facts = Object.entries(item['facts']).map(([field, value]) => ({ field, value }))
  if (!isText(kind) || !isText(name) || !isText(root) || !isText(hash) || !isText(approvedAt)) return undefined
  if (!facts.every((fact): fact is Fact => isText(fact.value)) || (by !== undefined && !isText(by))) return undefined
  return { kind, name, root, hash, approvedAt, ...(by === undefined ? {} : { by }), facts }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
