import { events } from '@ext/hooks'
import { suggest } from '@ext/kernel'
import type { LifecycleEvent } from '@ext/kernel/contract'

/** The event that a person means; a text says what is wrong with the name. */
export function readEvent(name: string): { readonly event: LifecycleEvent } | string {
  const names = Object.keys(events) as LifecycleEvent[]
  const folded = name.replaceAll(/[-_]/g, '').toLowerCase()
  const event = names.find((known) => known.toLowerCase() === folded)
  if (event !== undefined) return { event }
  const typo = suggest(name, names)
  return `There is no event \`${name}\`. ${typo ? `Did you mean \`${typo}\`?` : 'Run ext hooks events to see them.'}`
}
