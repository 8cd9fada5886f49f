import { formatPlace } from '@ext/kernel'
import { redact } from '@ext/kernel/env'
import type { CompiledServer, ServerEntry } from '@ext/mcp-client/types'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, countSeverity, oneLine, printable } from '../../render/words.js'
import { openServers, type ServerOptions } from './open.js'

export interface ListOptions extends ServerOptions {
  readonly json?: boolean
}

/** Every configured server with what became of its entry. Nothing is started. */
export async function list(options: ListOptions, io: Io): Promise<number> {
  const { setup, snapshot, locations } = await openServers(options, io)
  const compiled = new Map(snapshot.entries.map(({ id, value }) => [id, value]))
  const servers = snapshot.records.map(({ id, name, verdict, source }) => {
    const value = compiled.get(id)
    const asked = setup.asked.get(id)
    return { name, verdict, source, ...(value ? ofCompiled(value) : asked ? ofEntry(asked) : {}) }
  })
  const { diagnostics } = snapshot
  const errors = countSeverity(diagnostics, 'error')
  if (options.json) {
    io.out(JSON.stringify({ servers, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
    return errors > 0 ? 1 : 0
  }
  const short = shorten(locations.project)
  for (const { name, verdict, source, type = '?', runs = '' } of servers) {
    const columns = `${verdict.padEnd(11)}${name.padEnd(20)} ${type.padEnd(6)}`
    io.out(printable(`${columns}${oneLine(short(runs), 70)}  ${short(formatPlace(source))}`))
  }
  // The column has said it, once for all of them is enough.
  const others = diagnostics.filter(({ code }) => code !== 'config.entry.untrusted')
  if (others.length > 0) io.out('')
  for (const text of await describeDiagnostics(others, short)) io.out(`${text}\n`)
  if (servers.some(({ verdict }) => verdict === 'untrusted')) {
    io.out(
      'Untrusted servers start once they are approved: read them with ext trust list, then use ext trust approve or --trust-project.',
    )
  }
  io.out(`${count(servers.length, 'server')}, ${count(errors, 'error')}`)
  return errors > 0 ? 1 : 0
}

interface Described {
  readonly type: string
  /** What is started or reached, without secrets. */
  readonly runs: string
}

function ofCompiled(server: CompiledServer): Described {
  const endpoint = server.endpoint()
  const secrets = server.secrets()
  if (endpoint.kind === 'http') return { type: endpoint.form, runs: redact(endpoint.url, { secrets }) }
  const { command } = endpoint
  const words = 'file' in command ? [command.file, ...command.args] : [command.script]
  return { type: 'stdio', runs: redact(words.join(' '), { secrets }) }
}

function ofEntry({ transport }: ServerEntry): Partial<Described> {
  if (!transport) return {}
  if (transport.kind === 'http') return { type: transport.form, runs: redact(transport.url) }
  return { type: 'stdio', runs: redact([transport.command, ...transport.args].join(' ')) }
}
