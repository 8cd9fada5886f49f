import { rowsOf } from '../../commands/mcp/open.js'
import { describeRow } from '../../commands/mcp/test.js'
import { shorten } from '../../render/diagnostics.js'
import { count, printable } from '../../render/words.js'
import { type Host, NO_MODEL } from './table.js'

/** Servers with what keeps those from working that don't. */
export function showServers({ extensions: { mcp, servers, locations }, io }: Host): void {
  if (!mcp) return
  const rows = rowsOf({ client: mcp, snapshot: servers }, [])
  const short = shorten(locations.project)
  for (const row of rows) for (const line of describeRow(row)) io.out(printable(short(line)))
  const held = mcp.held().length
  if (held > 0) io.out(`${count(held, 'tool')} held back: ext mcp tools NAME --held shows what changed.`)
  io.out(count(rows.length, 'server'))
}

export function showCost({ talk, io }: Host): void {
  if (!talk) {
    io.err(NO_MODEL)
    return
  }
  const { turns, inputTokens, outputTokens, costUsd } = talk.session.totals
  const cost = costUsd === undefined ? 'the model says nothing of money' : `$${costUsd.toFixed(4)}`
  io.out(`${count(turns, 'turn')}, ${inputTokens} tokens in, ${outputTokens} out, ${cost}.`)
}
