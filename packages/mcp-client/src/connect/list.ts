import { isMap } from '@ext/kernel'
import type { CancelSignal } from '../cancel.js'
import { Fault, type Session } from './session.js'

const MAX_PAGES = 100
const MAX_ITEMS = 10_000
/** All of a list stays in memory, since rules that change go through it again. */
const MAX_CHARACTERS = 32 * 1024 * 1024

export interface Listed {
  /** As the server sent them; nothing about them is checked. */
  readonly tools: readonly unknown[]
  /** Why the list was cut off, if it was. */
  readonly cut?: string
}

/** All pages of `tools/list`. A server that never ends its list costs itself only. */
export async function listTools(session: Session, signal: CancelSignal): Promise<Listed> {
  const tools: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  let room = MAX_CHARACTERS
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await session.list('tools', cursor, signal)
    if (!isMap(result) || !Array.isArray(result['tools'])) {
      throw new Fault('protocol', 'gave an answer to tools/list that has no list of tools')
    }
    for (const tool of result['tools']) {
      if (tools.length === MAX_ITEMS) return { tools, cut: `it has more than ${MAX_ITEMS} entries` }
      room = roomAfter(tool, room)
      if (room < 0) return { tools, cut: `it has more than ${MAX_CHARACTERS} characters` }
      tools.push(tool)
    }
    const next = result['nextCursor']
    // Some servers end with an empty or null cursor instead of none.
    if (typeof next !== 'string' || next === '') return { tools }
    if (cursors.has(next)) return { tools, cut: `it sent the cursor ${JSON.stringify(next)} a second time` }
    room -= next.length
    cursors.add(next)
    cursor = next
  }
  return { tools, cut: `it has more than ${MAX_PAGES} pages` }
}

/** What is left of so many characters behind a value; stops counting below 0, and needs no stack for what is nested. */
function roomAfter(value: unknown, room: number): number {
  let left = room
  const todo = [value]
  while (todo.length > 0 && left >= 0) {
    const part = todo.pop()
    left -= typeof part === 'string' ? part.length : 1
    if (typeof part !== 'object' || part === null) continue
    for (const [key, child] of Object.entries(part)) {
      left -= key.length
      todo.push(child)
    }
  }
  return left
}
