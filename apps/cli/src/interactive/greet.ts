import { homedir } from 'node:os'
import { relative } from 'node:path'
import type { Extensions } from '../compose.js'
import type { Io } from '../io.js'
import { version } from '../package.js'
import { describeDiagnostics, shorten } from '../render/diagnostics.js'
import { count, countSeverity, printable } from '../render/words.js'
import type { Paint } from './draw/paint.js'
import type { Talk } from './talk.js'
import { wrap } from './terminal/rows.js'

/** Errors that are shown before anybody has asked. */
const MOST_ERRORS = 3

export function banner(project: string, columns: number, paint: Paint): readonly string[] {
  return [
    paint.strong(`ext ${version}`),
    ...wrap(printable(`${atHome(project)} · /help shows what there is`), columns).map(paint.dim),
  ]
}

/** Errors one by one, the rest by number, and what waits for consent: none of it is to be found out later. */
export async function greet(extensions: Extensions, io: Pick<Io, 'err'>): Promise<void> {
  // Of servers is said what becomes of them, as it does.
  const found = extensions.diagnostics().filter(({ code }) => !code.startsWith('mcp.server.'))
  const errors = found.filter(({ severity }) => severity === 'error')
  const warnings = countSeverity(found, 'warning')
  const short = shorten(extensions.locations.project)
  for (const text of await describeDiagnostics(errors.slice(0, MOST_ERRORS), short)) io.err(text)
  if (errors.length > 0 || warnings > 0)
    io.err(`${count(errors.length, 'error')}, ${count(warnings, 'warning')}: /doctor shows them.`)
  const waiting = extensions.trust.pending(await extensions.unapproved()).length
  if (waiting > 0)
    io.err(
      `Of this project ${waiting} ${waiting === 1 ? 'thing waits' : 'things wait'} for your approval: ext trust list.`,
    )
}

/** The row below the input. */
export function describeState(project: string, extensions: Extensions | undefined, talk: Talk | undefined): string {
  if (!extensions) return 'loads what is configured …'
  const rows = extensions.mcp?.status() ?? []
  const up = rows.filter(({ state }) => state === 'ready' || state === 'idle').length
  const mode = talk?.session.permissionMode ?? 'default'
  return [
    talk?.model ?? 'no model',
    ...(talk?.session.agent === undefined ? [] : [`${talk.session.agent} has it`]),
    ...(mode === 'default' ? [] : [mode]),
    ...(rows.length > 0 ? [`${up} of ${count(rows.length, 'server')}`] : []),
    atHome(project),
  ]
    .map(printable)
    .join(' · ')
}

function atHome(path: string): string {
  const inside = relative(homedir(), path)
  return inside === '' ? '~' : inside.startsWith('..') ? path : `~/${inside}`
}
