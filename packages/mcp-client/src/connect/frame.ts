import type { RequestId } from './carrier.js'

/** `{"key": scalar` or `, "key": scalar`, complete only with what follows it. */
const MEMBER = /\s*[{,]\s*"((?:[^"\\]|\\.)*)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)(?=\s*[,}])/y
/** The members that can stand behind a result, up to the end of the message. */
const LAST_MEMBERS = /(?:,\s*"(?:id|jsonrpc)"\s*:\s*(?:"[^"\\]*"|-?\d+)\s*)+\}\s*$/
const ID = /"id"\s*:\s*("[^"\\]*"|-?\d+)/

/** Which request a message answers, read off its first bytes: what stands before the first nested value. */
export function answeredAtStart(text: string): RequestId | undefined {
  MEMBER.lastIndex = 0
  for (let found = MEMBER.exec(text); found; found = MEMBER.exec(text)) {
    const [, key, value = ''] = found
    if (key === 'method') return undefined
    if (key === 'id') return toId(value)
  }
  return undefined
}

/** The same read off its last bytes: what stands behind the last nested value. */
export function answeredAtEnd(text: string): RequestId | undefined {
  const members = LAST_MEMBERS.exec(text)?.[0] ?? ''
  const id = ID.exec(members)?.[1]
  return id === undefined ? undefined : toId(id)
}

function toId(json: string): RequestId | undefined {
  const value: unknown = JSON.parse(json)
  return typeof value === 'number' || typeof value === 'string' ? value : undefined
}
