import type { ServerStatus } from '@ext/mcp-client/types'
import type { Extensions } from '../compose.js'
import { shorten } from '../render/diagnostics.js'
import { count, oneLine } from '../render/words.js'
import type { Word } from './input/hints.js'

export interface ServerWatch {
  say(text: string): void
  refresh(): void
  /** The prompts that servers offer now. */
  prompts(words: readonly Word[]): void
}

/** Says of each server once when it is up, and whenever that changes. Returns what ends it. */
export function watchServers(
  { mcp, locations }: Pick<Extensions, 'mcp' | 'locations'>,
  watch: ServerWatch,
): () => void {
  if (!mcp) return () => {}
  const short = shorten(locations.project)
  const said = new Map<string, string>()
  const look = () => {
    for (const row of mcp.status()) {
      const before = said.get(row.name)
      const line = describe(row, before)
      if (line === undefined || before === line) continue
      said.set(row.name, line)
      watch.say(short(`${row.name}: ${line}`))
    }
    watch.refresh()
    void listPrompts()
  }
  const listPrompts = async () => {
    const ready = mcp.status().filter(({ state }) => state === 'ready')
    const listed = await Promise.all(ready.map(({ name }) => mcp.prompts.list({ server: name }).catch(() => undefined)))
    const items = listed.flatMap((each) => each?.items ?? [])
    watch.prompts(
      items.map(({ fullName, description = '' }) => ({ name: `/${fullName}`, summary: oneLine(description, 100) })),
    )
  }
  look()
  return mcp.onChange(look)
}

const LOST = 'was lost and is connecting again'

/**
 * What is news of a server; `undefined` for what is none. One that fails again and again is said to have failed once.
 * @param before what was said of it last
 */
function describe({ state, tools, cause, hint }: ServerStatus, before: string | undefined): string | undefined {
  switch (state) {
    case 'connecting':
      return before?.startsWith('ready') ? LOST : undefined
    case 'closed':
      return undefined
    case 'ready':
      return `ready with ${count(tools, 'tool')}`
    default:
      return `${[state, cause && oneLine(cause, 300)].filter(Boolean).join(': ')}${hint ? `\n  fix: ${oneLine(hint, 300)}` : ''}`
  }
}
