import { isMap } from '@ext/kernel'
import type { CancelSignal } from '../cancel.js'
import { Fault, type Session } from './session.js'

const MAX_PAGES = 100

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

/** All pages of `tools/list`. A server that never ends its list costs itself only. */
export async function listTools(session: Session, signal: CancelSignal): Promise<Listed> {
  const tools: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  let freshMs: number | undefined
  const listed = (cut?: string): Listed => ({
    tools,
    mirrors: session.mirrors,
    ...(cut === undefined ? {} : { cut }),
    ...(freshMs === undefined ? {} : { freshMs }),
  })
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await session.list('tools', cursor, signal)
    if (!isMap(result) || !Array.isArray(result['tools'])) {
      throw new Fault('protocol', 'gave an answer to tools/list that has no list of tools')
    }
    for (const tool of result['tools']) tools.push(tool)
    const { nextCursor: next, ttlMs } = result
    // The list holds no longer than the first of its pages that does not.
    if (typeof ttlMs === 'number' && ttlMs > 0) freshMs = Math.min(freshMs ?? Number.POSITIVE_INFINITY, ttlMs)
    // Some servers end with an empty or null cursor instead of none.
    if (typeof next !== 'string' || next === '') return listed()
    if (cursors.has(next)) return listed(`it sent the cursor ${JSON.stringify(next)} a second time`)
    cursors.add(next)
    cursor = next
  }
  return listed(`it has more than ${MAX_PAGES} pages`)
}
