import type { JsonValue } from '@ext/kernel/contract'
import type { Io } from '../../io.js'
import { count, printable } from '../../render/words.js'
import { type RunningServers, rowsOf, type ServerOptions, withServers } from './open.js'
import { describeRow } from './test.js'

export interface OffersOptions extends ServerOptions {
  readonly json?: boolean
}

interface Offers {
  /** One for each that there is. */
  readonly lines: readonly string[]
  /** For programs. */
  readonly found: object
  readonly problems: readonly { readonly server: string; readonly message: string }[]
}

/** Starts servers and shows what they offer of one kind. */
export function showOffers(
  names: readonly string[],
  { json, ...options }: OffersOptions,
  io: Io,
  what: string,
  list: (servers: RunningServers, which: { readonly server?: string; readonly signal: AbortSignal }) => Promise<Offers>,
): Promise<number> {
  const [server] = names
  return withServers(options, names, io, async (servers) => {
    const down = rowsOf(servers, names).filter(
      ({ state }) => !['ready', 'degraded', 'disabled', 'shadowed'].includes(state),
    )
    const which = { signal: io.signal, ...(server === undefined || down.length > 0 ? {} : { server }) }
    const { lines, found, problems } = await list(servers, which)
    const code = down.length > 0 || problems.length > 0 ? 1 : 0
    if (json) {
      io.out(JSON.stringify({ ...found, problems } as unknown as JsonValue, null, 2))
      return code
    }
    for (const line of lines) io.out(printable(line))
    for (const row of down) for (const line of describeRow(row)) io.err(printable(line))
    for (const { message } of problems) io.err(printable(`ext: ${message}`))
    io.out(count(lines.length, what))
    return code
  })
}
