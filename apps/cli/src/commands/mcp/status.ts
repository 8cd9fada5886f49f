import type { ServerStatus } from '@ext/mcp-client/types'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, indent, printable } from '../../render/words.js'
import { diagnosticsOf, rowsOf, type ServerOptions, type ServerRow, withServers } from './open.js'
import { describeRow, lastLines } from './test.js'

export interface StatusOptions extends ServerOptions {
  readonly json?: boolean
}

const BAD: readonly string[] = ['failed', 'broken', 'degraded', 'needs_auth']

/** Starts servers and shows how each of them is: who it says it is, what it wrote, and all there is to say about it. */
export function status(names: readonly string[], options: StatusOptions, io: Io): Promise<number> {
  return withServers(options, names, io, async (servers) => {
    const rows = rowsOf(servers, names)
    const bad = rows.filter(({ state }) => BAD.includes(state)).length
    const code = bad > 0 || (names.length === 0 && servers.unread > 0) ? 1 : 0
    const found = new Map(servers.client.status().map((row) => [row.name, row]))
    const diagnostics = diagnosticsOf(servers, names)
    if (options.json) {
      const all = rows.map((row) => ({ ...found.get(row.name), ...row }))
      io.out(JSON.stringify({ servers: all, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
      return code
    }
    const short = shorten(servers.locations.project)
    for (const row of rows) {
      for (const line of describeRow(row)) io.out(printable(short(line)))
      for (const line of details(found.get(row.name), row)) io.out(printable(indent(line)))
    }
    const about = diagnostics.filter(({ entry, code }) => entry !== undefined && code !== 'config.entry.untrusted')
    if (about.length > 0) io.out('')
    for (const text of await describeDiagnostics(about, short)) io.out(`${text}\n`)
    io.out(`${count(rows.length, 'server')}, ${bad} in trouble`)
    return code
  })
}

function details(row: ServerStatus | undefined, shown: ServerRow): readonly string[] {
  if (!row) return []
  const { server, held, stderrTail } = row
  return [
    ...(server ? [`${server.name} ${server.version}, MCP ${server.protocolVersion}`] : []),
    ...(held > 0 ? [`${count(held, 'tool')} held back; see ext mcp tools ${row.name} --held`] : []),
    ...(stderrTail && shown.stderrTail === undefined ? lastLines(stderrTail) : []),
  ]
}
