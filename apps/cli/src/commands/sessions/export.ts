import type { Io } from '../../io.js'
import { type Entry, entriesOf } from './describe.js'
import { readSession, type SessionsOptions } from './open.js'

export interface ExportOptions extends SessionsOptions {
  readonly format: 'markdown' | 'json'
}

/** A session as a document for people, or as its events for programs. Everything that was said is in it. */
export async function exportSession(wanted: string, options: ExportOptions, io: Io): Promise<number> {
  const session = await readSession(wanted, options, io)
  if (!session) return 2
  const { header, events } = session
  if (options.format === 'json') {
    io.out(JSON.stringify({ ...header, events }, null, 2))
    return 0
  }
  io.out(`# Session ${header.id}\n\nIn ${header.cwd}, since ${header.at}.`)
  for (const entry of entriesOf(session)) io.out(`\n${describeEntry(entry)}`)
  return 0
}

const TITLES: Readonly<Record<Entry['who'], string>> = {
  user: '## User',
  model: '## Model',
  call: '### Call of',
  result: '### Result of',
  error: '### Error of',
  summary: '## Summary of what was said so far',
}

function describeEntry({ who, tool, text }: Entry): string {
  const title = tool === undefined ? TITLES[who] : `${TITLES[who]} ${tool}`
  return `${title}\n\n${tool === undefined ? text : fenced(text)}`
}

/** No text can end the block that it stands in. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
