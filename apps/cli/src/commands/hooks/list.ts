import type { ListedHook } from '@ext/hooks'
import { formatPlace } from '@ext/kernel'
import type { Extensions } from '../../compose.js'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, countSeverity, oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { readEvent } from './event-name.js'

export interface ListOptions {
  readonly project: string
  readonly trustProject?: boolean
  readonly event?: string
  readonly json?: boolean
}

/** Every hook with its place and what became of it, in the order in which answers are folded. Nothing runs. */
export async function list(options: ListOptions, io: Io): Promise<number> {
  const wanted = options.event === undefined ? undefined : readEvent(options.event)
  if (typeof wanted === 'string') {
    io.err(`ext: ${printable(wanted)}`)
    return 2
  }
  return withExtensions(options, io, (extensions) => showHooks(extensions, { ...options, wanted }, io))
}

/** The same of what is loaded already. */
export async function showHooks(
  { hooks: engine, locations }: Pick<Extensions, 'hooks' | 'locations'>,
  { wanted, json }: { readonly wanted?: { readonly event: string } | undefined; readonly json?: boolean | undefined },
  io: Pick<Io, 'out'>,
): Promise<number> {
  const hooks = engine.list().filter(({ hook }) => wanted === undefined || hook?.event === wanted.event)
  const { diagnostics } = engine
  const errors = countSeverity(diagnostics, 'error')
  if (json) {
    io.out(JSON.stringify({ hooks, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
    return errors > 0 ? 1 : 0
  }
  const short = shorten(locations.project)
  for (const hook of hooks) io.out(printable(short(describeHook(hook))))
  // The column has said it, once for all of them is enough.
  const others = diagnostics.filter(({ code }) => code !== 'config.entry.untrusted')
  if (others.length > 0) io.out('')
  for (const text of await describeDiagnostics(others, short)) io.out(`${text}\n`)
  if (hooks.some(({ verdict }) => verdict === 'untrusted')) {
    io.out(
      'Untrusted hooks run once they are approved: read them with ext trust list, then use ext trust approve or --trust-project.',
    )
  }
  io.out(`${count(hooks.length, 'hook')}, ${count(errors, 'error')}`)
  return errors > 0 ? 1 : 0
}

function describeHook({ name, verdict, source, hook }: ListedHook): string {
  const place = formatPlace(source)
  if (!hook) return `${verdict.padEnd(11)}${'?'.padEnd(20)}${oneLine(name, 60)}  ${place}`
  const { event, matcher, if: condition, action, owner } = hook
  const when = [matcher || '*', ...(condition === undefined ? [] : [`if ${oneLine(condition, 60)}`])].join(' ')
  const whose = owner === undefined ? '' : ` (${owner})`
  return `${verdict.padEnd(11)}${event.padEnd(20)}${when.padEnd(16)} ${name}: ${oneLine(action, 70)}${whose}  ${place}`
}
