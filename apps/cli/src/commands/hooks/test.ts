import type { ListedHook, TriedHook } from '@ext/hooks'
import { formatPlace, suggest } from '@ext/kernel'
import type { Io } from '../../io.js'
import { shorten } from '../../render/diagnostics.js'
import { oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { readEvent } from './event-name.js'
import { openHookFile } from './one-file.js'
import { type PayloadOptions, readPayload } from './payload.js'
import { testEvent } from './test-event.js'

export interface TestOptions extends PayloadOptions {
  readonly event?: string
  /** Only the hooks of this file, which counts as approved. */
  readonly file?: string
  readonly project?: string
  readonly trustProject?: boolean
  readonly json?: boolean
}

/**
 * Runs one hook as its event would, or without a name all hooks of an event, and shows what came of it. Nobody is asked, and
 * no session hears of it.
 */
export async function test(name: string | undefined, options: TestOptions, io: Io): Promise<number> {
  const usage = (text: string) => {
    io.err(`ext: ${printable(text)}`)
    return 2
  }
  const wanted = options.event === undefined ? undefined : readEvent(options.event)
  if (typeof wanted === 'string') return usage(wanted)
  const payload = await readPayload(options)
  if (typeof payload === 'string') return usage(payload)
  const all = name === undefined
  if (all && !wanted) return usage('Name a hook, or with --event the event of which all hooks are run.')
  return withExtensions({ ...options, ...(await openHookFile(options)) }, io, async (extensions) => {
    if (all) return wanted ? await testEvent(wanted.event, payload, options, extensions, io) : 2
    const { hooks, locations } = extensions
    const short = shorten(locations.project)
    const chosen = choose(name, wanted?.event, hooks.list())
    if (typeof chosen === 'string') return usage(short(chosen))
    const tried = await hooks.try(chosen.id, { payload, signal: io.signal })
    if (!tried) return usage(`\`${name}\` is ${chosen.verdict}. Run ext hooks list to see why.`)
    if ('problem' in tried) return usage(tried.problem)
    if (options.json) io.out(JSON.stringify({ hook: chosen, ...tried }, null, 2))
    else for (const line of describeTry(chosen, tried)) io.out(printable(short(line)))
    return ['failed', 'timedOut'].includes(tried.run.outcome) ? 1 : 0
  })
}

/** The one hook that is meant, or what is wrong with the name. */
function choose(name: string, event: string | undefined, hooks: readonly ListedHook[]): ListedHook | string {
  const named = hooks.filter(
    (each) => (each.name === name || each.id === name) && (event === undefined || each.hook?.event === event),
  )
  const usable = named.filter(({ verdict }) => verdict === 'loaded')
  const [first, second] = usable
  if (first && !second) return first
  if (second) {
    const ids = usable.map(({ id, hook }) => `\n  ${hook?.event ?? '?'}  ${id}`)
    return `\`${name}\` is the name of ${usable.length} hooks; give the id of one, or --event:${ids.join('')}`
  }
  const [off] = named
  if (off?.verdict === 'untrusted') {
    return `\`${name}\` is not approved. Read what it does, then use ext trust approve or --trust-project.`
  }
  if (off) return `\`${name}\` is ${off.verdict}. Run ext hooks list to see why.`
  const typo = suggest(name, [...new Set(hooks.map((each) => each.name))])
  return `There is no hook \`${name}\`. ${typo ? `Did you mean \`${typo}\`?` : 'Run ext hooks list to see them.'}`
}

function describeTry(
  { name, source }: ListedHook,
  { event, payload, fits, protocol, run, effect }: TriedHook,
): readonly string[] {
  const lines = [
    `hook      ${name} at ${event}, ${formatPlace(source)}`,
    `payload   ${oneLine(JSON.stringify(payload), 400)}`,
    `fits      ${fits ? 'yes' : 'no: for this payload it would not run'}`,
    `protocol  ${describeProtocol(protocol)}, ${run.ms} ms`,
  ]
  if (protocol.kind === 'ended') {
    const { stdout, stderr } = protocol.process
    for (const [stream, text] of [
      ['stdout', stdout],
      ['stderr', stderr],
    ] as const) {
      if (text.trim() !== '') lines.push(`${stream}    ${oneLine(text, 400)}`)
    }
  }
  lines.push(`outcome   ${run.outcome}${run.cause === undefined ? '' : ` (${run.cause})`}`)
  const { runs: _, context, notices, ...decided } = effect
  const effects = [
    ...Object.entries(decided).map(([what, value]) => `${what}: ${JSON.stringify(value)}`),
    ...context.map(({ text }) => `the model is told: ${text}`),
    ...notices.map(({ text }) => `the user is told: ${text}`),
  ]
  if (effects.length === 0) effects.push('none')
  lines.push(...effects.map((text, at) => `${(at === 0 ? 'effect' : '').padEnd(10)}${oneLine(text, 400)}`))
  return lines
}

function describeProtocol(protocol: TriedHook['protocol']): string {
  switch (protocol.kind) {
    case 'ended': {
      const { outcome, exitCode, signal } = protocol.process
      return outcome === 'ended' ? (exitCode === null ? `ended by ${signal}` : `exit ${exitCode}`) : outcome
    }
    case 'replied':
      return `reply ${oneLine(JSON.stringify(protocol.reply), 200)}`
    case 'judged':
      return protocol.ok ? 'judged ok' : 'judged not ok'
    case 'failed':
      return `failed: ${protocol.cause}`
    default:
      return protocol.kind
  }
}
