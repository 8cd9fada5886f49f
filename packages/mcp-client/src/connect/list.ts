import { isMap } from '@ext/kernel'
import type { CancelSignal } from '../cancel.js'
import { Fault, type ListKind, type Session } from './session.js'

const MAX_PAGES = 100
const MAX_ITEMS = 10_000
/** All of a list stays in memory, since rules that change go through it again. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** The tools that a server listed. */
export interface Listed {
  /** As the server sent them; nothing about them is checked. */
  readonly tools: readonly unknown[]
  /** Why the list was cut off, if it was. */
  readonly cut?: string
  /** Whether arguments of calls are also sent as headers. */
  readonly mirrors: boolean
  /** How long the server thinks that it holds, in milliseconds, more than 0; absent: it does not say. */
  readonly freshMs?: number
}

/** What else a server listed. */
export interface ListedItems {
  /** As the server sent them; nothing about them is checked. */
  readonly items: readonly unknown[]
  /** Why the list was cut off, if it was. */
  readonly cut?: string
  /** See {@link Listed}. */
  readonly freshMs?: number
}

/** How each list is asked for. */
export const LIST_METHODS: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
}

/** All pages of `tools/list`. */
export async function listTools(session: Session, signal: CancelSignal): Promise<Listed> {
  const { items, ...rest } = await listAll(session, 'tools', signal)
  return { tools: items, mirrors: session.mirrors, ...rest }
}

/** All pages of a list. A server that never ends it costs itself only. */
export async function listAll(session: Session, what: ListKind, signal: CancelSignal): Promise<ListedItems> {
  const items: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  let room = MAX_CHARACTERS
  let freshMs: number | undefined
  const listed = (cut?: string): ListedItems => ({
    items,
    ...(cut === undefined ? {} : { cut }),
    ...(freshMs === undefined ? {} : { freshMs }),
  })
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await session.list(what, cursor, signal)
    const sent = isMap(result) ? result[what] : undefined
    if (!isMap(result) || !Array.isArray(sent)) {
      throw new Fault('protocol', `gave an answer to ${LIST_METHODS[what]} that has no list of ${what}`)
    }
    for (const item of sent) {
      if (items.length === MAX_ITEMS) return listed(`it has more than ${MAX_ITEMS} entries`)
      room = roomAfter(item, room)
      if (room < 0) return listed(`it has more than ${MAX_CHARACTERS} characters`)
      items.push(item)
    }
    const { nextCursor: next, ttlMs } = result
    // The list holds no longer than the first of its pages that does not.
    if (typeof ttlMs === 'number' && ttlMs > 0) freshMs = Math.min(freshMs ?? Number.POSITIVE_INFINITY, ttlMs)
    // Some servers end with an empty or null cursor instead of none.
    if (typeof next !== 'string' || next === '') return listed()
    if (cursors.has(next)) return listed(`it sent the cursor ${JSON.stringify(next)} a second time`)
    room -= next.length
    cursors.add(next)
    cursor = next
  }
  return listed(`it has more than ${MAX_PAGES} pages`)
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
