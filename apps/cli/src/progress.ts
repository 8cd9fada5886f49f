import type { McpClient } from '@ext/mcp-client'
import type { Io } from './io.js'

/** After this long a person wants to know what is waited for. */
const QUIET_MS = 500

/** Says what is waited for: to a person who looks on. In a log it would only be noise. */
export function sayProgress(io: Io, text: string): void {
  if (process.stderr.isTTY && !io.signal.aborted) io.err(`ext: ${text}`)
}

/**
 * Waits until each server is up or has failed once.
 * @param within at most so many milliseconds
 * @param waiting hears the names of those that take so long that a person wonders
 */
export async function whenReady(
  client: Pick<McpClient, 'ready'>,
  within: number,
  waiting: (servers: readonly string[]) => void,
): Promise<void> {
  const { late } = await client.ready({ within: Math.min(QUIET_MS, within) })
  if (late.length === 0 || within <= QUIET_MS) return
  waiting(late)
  await client.ready({ within: within - QUIET_MS })
}
