import type { Io } from '../../io.js'
import { shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, indent, oneLine, printable } from '../../render/words.js'
import { diagnosticsOf, rowsOf, type ServerOptions, type ServerRow, withServers } from './open.js'

export interface TestOptions extends ServerOptions {
  readonly json?: boolean
}

/** Starts servers and says of each whether it became ready. One that is switched off counts only if it was named. */
export function test(names: readonly string[], options: TestOptions, io: Io): Promise<number> {
  return withServers(options, names, io, async (servers) => {
    const rows = rowsOf(servers, names)
    const failed = rows.filter(({ state }) => state !== 'ready' && (state !== 'disabled' || names.length > 0))
    if (options.json) {
      io.out(JSON.stringify({ servers: rows, diagnostics: jsonDiagnostics(diagnosticsOf(servers, names)) }, null, 2))
    } else {
      const short = shorten(servers.locations.project)
      for (const row of rows) for (const line of describeRow(row)) io.out(printable(short(line)))
      io.out(`${count(rows.length, 'server')}, ${failed.length} not ready`)
    }
    return failed.length > 0 || (names.length === 0 && servers.unread > 0) ? 1 : 0
  })
}

export function describeRow({ name, state, tools, ms, cause, hint, stderrTail }: ServerRow): readonly string[] {
  const columns = `${state.padEnd(11)}${name.padEnd(20)} ${count(tools, 'tool').padStart(9)} ${String(ms).padStart(6)} ms`
  return [
    columns,
    ...(cause === undefined ? [] : [indent(oneLine(cause, 400))]),
    ...(stderrTail === undefined ? [] : lastLines(stderrTail).map(indent)),
    ...(hint === undefined ? [] : [indent(`fix: ${oneLine(hint, 400)}`)]),
  ]
}

/** The end of what a server wrote to stderr. */
export function lastLines(stderrTail: string): readonly string[] {
  return ['its last words on stderr:', ...stderrTail.trimEnd().split('\n').slice(-5).map(indent)]
}
