import type { AgentSession } from '@ext/agent-core/types'
import type { McpClient } from '@ext/mcp-client'
import type { ServerStatus } from '@ext/mcp-client/types'
import { oneLine } from '../render/words.js'

/** Tells hooks of Notification when a server is gone, is there again, or wants somebody to sign in. */
export function tellStatuses(
  client: Pick<McpClient, 'status' | 'onChange'>,
  session: () => AgentSession | undefined,
): { end(): void } {
  let before = new Map<string, ServerStatus['state']>()
  const gone = new Set<string>()
  const look = () => {
    const rows = client.status()
    for (const row of rows) {
      const message = newsOf(row, before.get(row.name), gone)
      if (message === undefined) continue
      const notification = { notification_type: 'mcp_status', message, title: row.name } as const
      // Nobody waits for it, and what becomes of it is told with the run.
      void session()
        ?.fire('Notification', () => notification)
        .catch(() => {})
    }
    before = new Map(rows.map(({ name, state }) => [name, state]))
  }
  look()
  const unsubscribe = client.onChange(look)
  return { end: () => unsubscribe() }
}

function newsOf(
  { name, state, cause }: ServerStatus,
  before: ServerStatus['state'] | undefined,
  gone: Set<string>,
): string | undefined {
  const why = cause === undefined ? '' : `: ${oneLine(cause, 300)}`
  if (state === 'needs_auth' && before !== 'needs_auth') {
    gone.add(name)
    return `The server \`${name}\` wants you to sign in${why}`
  }
  if (state === 'failed' && (before === 'ready' || before === 'degraded')) {
    gone.add(name)
    return `The server \`${name}\` is not there any more${why}`
  }
  if (state === 'ready' && gone.delete(name)) return `The server \`${name}\` is there again.`
  return undefined
}
