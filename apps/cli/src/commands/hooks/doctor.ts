import type { DiagnosedHook, DoctorReport } from '@ext/hooks'
import { type Diagnostic, formatPlace, sortDiagnostics } from '@ext/kernel'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count, indent, oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { noHooks, openHookFile } from './one-file.js'

export interface DoctorOptions {
  readonly project?: string
  /** Only the hooks of this file, which counts as approved. */
  readonly file?: string
  readonly trustProject?: boolean
  readonly json?: boolean
}

/** Whether each hook can take effect, with everything that speaks against it. Reads scripts and runs nothing. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const reading = await openHookFile(options)
  const { hookFile } = reading
  return withExtensions({ ...options, ...reading }, io, async (extensions) => {
    const { hooks: engine, locations } = extensions
    const examined = await engine.doctor()
    const isEmpty = hookFile && examined.hooks.length + examined.others.length === 0
    const report = isEmpty ? { hooks: [], others: [await noHooks(hookFile)] } : examined
    const findings = [...report.hooks.flatMap(({ reasons }) => reasons), ...report.others].filter(isFault)
    if (options.json) {
      io.out(JSON.stringify(toJson(report), null, 2))
      return findings.length > 0 ? 1 : 0
    }
    const short = shorten(locations.project)
    for (const hook of report.hooks) {
      io.out(printable(short(describeHook(hook))))
      // The column says it, and once for all of them is enough.
      const reasons = hook.reasons.filter(({ code }) => code !== 'config.entry.untrusted')
      for (const text of await describeDiagnostics(reasons, short)) io.out(`${indent(text)}\n`)
    }
    for (const text of await describeDiagnostics(report.others, short)) io.out(`${text}\n`)
    if (report.hooks.some(({ effect }) => effect === 'untrusted')) {
      io.out('Untrusted hooks run once they are approved: see ext trust list.')
    }
    io.out(`${summarize(report.hooks)}; ${count(findings.length, 'finding')}`)
    return findings.length > 0 ? 1 : 0
  })
}

function toJson({ hooks, others }: DoctorReport) {
  return {
    found: hooks.length,
    loaded: hooks.filter(({ verdict }) => verdict === 'loaded').length,
    hooks: hooks.map(({ id, name, effect, verdict, reasons, source, hook }) => ({
      id,
      name,
      event: hook?.event ?? writtenEvent(id),
      ...hook,
      verdict: effect,
      state: verdict,
      reasons: [...new Set(reasons.map(({ code }) => code))],
      source,
    })),
    diagnostics: jsonDiagnostics(sortDiagnostics([...hooks.flatMap(({ reasons }) => reasons), ...others])),
  }
}

/** A hook that can't be read still stands below its event, in the formats that have a map of them; else empty. */
function writtenEvent(id: string): string {
  return /\/hooks\/([^/]*)\/\d+(?:\/|$)/.exec(id.slice(id.indexOf('#')))?.[1] ?? ''
}

/** What a person has decided is no fault. */
function isFault({ code, severity }: Diagnostic): boolean {
  return severity !== 'info' && code !== 'config.entry.untrusted' && code !== 'hooks.policy.refused'
}

function describeHook({ effect, name, source, hook }: DiagnosedHook): string {
  const { event = '?', matcher } = hook ?? {}
  return `${effect.padEnd(12)}${event.padEnd(20)}${(matcher || '*').padEnd(16)} ${oneLine(name, 60)}  ${formatPlace(source)}`
}

function summarize(hooks: readonly DiagnosedHook[]): string {
  const counts = new Map<string, number>()
  for (const { effect } of hooks) counts.set(effect, (counts.get(effect) ?? 0) + 1)
  return [count(hooks.length, 'hook'), ...[...counts].map(([effect, number]) => `${number} ${effect}`)].join(', ')
}
