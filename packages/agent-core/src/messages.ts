import { describe, isMap } from '@ext/kernel'

/**
 * What is wrong with a value that should be the messages of a conversation: every call has its result, in the order of the
 * calls and in the message behind them, and the last message is not the assistant's. `undefined` if nothing is.
 */
export function messagesProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `messages must be a list; it is ${describe(value)}`
  if (value.length === 0) return 'there is no message'
  let open: readonly unknown[] = []
  for (const [index, message] of value.entries()) {
    const problem = messageProblem(message, open)
    if (problem !== undefined) return `message ${index + 1} ${problem}`
    open = message.role === 'assistant' ? message.calls.map(({ id }: { id: unknown }) => id) : []
  }
  if (open.length > 0) return `the calls of message ${value.length} have no results`
  return value.at(-1).role === 'assistant'
    ? 'the last message is the assistant’s, and nothing would be asked'
    : undefined
}

/**
 * What is wrong with a value that should be the next message of a conversation, as the end of a sentence.
 * @param open ids of the calls of the message before it
 */
export function messageProblem(message: unknown, open: readonly unknown[]): string | undefined {
  if (!isMap(message)) return `must be a map; it is ${describe(message)}`
  const { role } = message
  if (role !== 'tool' && open.length > 0) return 'must hold the results of the calls before it'
  if (role === 'user') return blocksProblem(message['content'])
  if (role === 'assistant') {
    const calls = message['calls']
    if (typeof message['text'] !== 'string') return 'needs a `text`'
    if (!Array.isArray(calls) || !calls.every(isCall)) return 'needs `calls`, a list of {id, name, input}'
    return message['meta'] === undefined || isMap(message['meta']) ? undefined : 'has a `meta` that is no map'
  }
  if (role !== 'tool') return `needs a role: user, assistant or tool; it is ${describe(role)}`
  const results = message['results']
  if (!Array.isArray(results) || !results.every(isMap)) return 'needs `results`, a list of maps'
  const ids = results.map((result) => result['callId'])
  if (ids.length !== open.length || ids.some((id, index) => id !== open[index])) {
    return 'must have one result for each call before it, in the order of the calls'
  }
  for (const result of results) {
    const problem = resultProblem(result)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** What is wrong with the result of a call, besides the id of the call. */
export function resultProblem(result: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof result['name'] !== 'string' || typeof result['isError'] !== 'boolean') {
    return 'has a result without `name` or `isError`'
  }
  return blocksProblem(result['content'])
}

function isCall(call: unknown): boolean {
  return isMap(call) && typeof call['id'] === 'string' && typeof call['name'] === 'string' && isMap(call['input'])
}

function blocksProblem(content: unknown): string | undefined {
  return Array.isArray(content) && content.every(isBlock) ? undefined : 'needs `content`, a list of content blocks'
}

/** Whether a value is a content block, as far as the loop relies on it. */
export function isBlock(block: unknown): boolean {
  if (!isMap(block)) return false
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string'
    case 'image':
    case 'audio':
      return typeof block['data'] === 'string' && typeof block['mimeType'] === 'string'
    case 'resource':
      return isResource(block['resource'])
    case 'resource_link':
      return typeof block['uri'] === 'string' && ['name', 'description'].every((key) => isOptionalText(block[key]))
    default:
      return false
  }
}

function isResource(resource: unknown): boolean {
  if (!isMap(resource) || typeof resource['uri'] !== 'string') return false
  return ['text', 'blob', 'mimeType'].every((key) => isOptionalText(resource[key]))
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
