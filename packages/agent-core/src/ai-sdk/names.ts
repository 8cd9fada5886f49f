import type { Message } from '@ext/kernel/contract'

/** What every provider takes as the id of a call and as the name of a tool. */
const FOREIGN = /[^\w-]/g
const MAX_NAME = 64

/**
 * The name of a tool in an earlier call. Models make names up, and one that a provider does not take would have it refuse
 * every later request of the conversation.
 */
export function toolName(name: string): string {
  return name.replaceAll(FOREIGN, '_').slice(0, MAX_NAME) || 'unnamed'
}

/** Gives the ids of calls in a form that every provider takes, and no two calls the same one. */
export function callIds(messages: readonly Message[]): (id: string) => string {
  const odd = messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map(({ id }) => id).filter(isOdd) : [],
  )
  if (odd.length === 0) return (id) => id
  const taken = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map(({ id }) => id) : [])),
  )
  const renamed = new Map<string, string>()
  for (const id of odd) {
    if (renamed.has(id)) continue
    const plain = id.replaceAll(FOREIGN, '_') || 'call'
    let name = plain
    for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`
    taken.add(name)
    renamed.set(id, name)
  }
  return (id) => renamed.get(id) ?? id
}

function isOdd(id: string): boolean {
  return id === '' || id.search(FOREIGN) !== -1
}

const SURROGATE = /[\uD800-\uDFFF]/
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** A text that was cut in the middle of a character is refused by providers, and with it the whole conversation. */
export function wellFormed(text: string): string {
  return SURROGATE.test(text) ? text.replaceAll(LONE, '\uFFFD') : text
}
