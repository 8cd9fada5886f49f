import type { Io } from '../../io.js'
import { type Entry, entriesOf } from './describe.js'
import { readSession, type SessionsOptions } from './open.js'
import type { WholeSession } from './sub-agents.js'

export interface ExportOptions extends SessionsOptions {
  readonly format: 'markdown' | 'json'
}

/** A session as a document for people, or as its events for programs. Everything that was said is in it. */
export async function exportSession(wanted: string, options: ExportOptions, io: Io): Promise<number> {
  const session = await readSession(wanted, options, io)
  if (!session) return 2
  const { header } = session
  if (options.format === 'json') {
    io.out(JSON.stringify(asData(session), null, 2))
    return 0
  }
  io.out(`# Session ${header.id}\n\nIn ${header.cwd}, since ${header.at}.`)
  for (const entry of entriesOf(session)) io.out(`\n${describeEntry(entry)}`)
  return 0
}

/** Sub-agents stand in the session that has started them, where they have any. */
function asData({ header, events, agents }: WholeSession): object {
  const inside = [...agents].map(([id, { session, problem }]) => (session ? asData(session) : { id, problem }))
  return { ...header, events, ...(inside.length === 0 ? {} : { agents: inside }) }
}

const TITLES: Readonly<Record<Entry['who'], string>> = {
  user: '## User',
  model: '## Model',
  call: '### Call of',
  result: '### Result of',
  error: '### Error of',
  summary: '## Summary of what was said so far',
  agent: '## Sub-agent',
  handoff: '## Handed over',
}

function describeEntry({ who, tool, agent, text }: Entry): string {
  const named = tool === undefined ? TITLES[who] : `${TITLES[who]} ${tool}`
  const title = agent === undefined ? named : who === 'agent' ? `${named} ${agent}` : `${named} (sub-agent ${agent})`
  return `${title}\n\n${tool === undefined ? text : fenced(text)}`
}

/** No text can end the block that it stands in. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
