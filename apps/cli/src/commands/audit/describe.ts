import type { AuditRecord } from '@ext/agent-core/types'
import { formatPlace } from '@ext/kernel'
import { count, oneLine } from '../../render/words.js'

type SourceFacts = NonNullable<AuditRecord['source']>

/** A call in a line, and below it where it came from, who had a say in it, and how it went at its server. */
export function describeRecord(record: AuditRecord): readonly string[] {
  const { ts, session_id, agent_id, tool, server, permission, is_error, error_kind, duration_ms, args_redacted } =
    record
  const who = `${session_id.slice(0, 8)}${agent_id === undefined ? '' : `/${agent_id.slice(0, 8)}`}`
  const outcome = is_error ? (error_kind ?? 'failed') : 'ok'
  const decided = permission ? `${permission.behavior} by ${permission.decided_by.layer}` : 'not asked'
  const name = server === undefined ? tool : `${tool} (${server})`
  const columns = [ts, who, name, outcome, decided, `${Math.round(duration_ms)} ms`, oneLine(args_redacted, 80)]
  return [columns.join('  '), ...describeOrigin(record).map((line) => `    ${line}`)]
}

function describeOrigin({
  agent_id,
  agent_type,
  hook_blocks,
  permission,
  server,
  source,
}: AuditRecord): readonly string[] {
  const { rule, source: place } = permission?.decided_by ?? {}
  return [
    // Without an id it is one that has the whole conversation.
    ...(agent_type === undefined
      ? []
      : [`${agent_id === undefined ? 'agent' : 'sub-agent'} ${oneLine(agent_type, 60)}`]),
    ...hook_blocks.map((name) => `blocked by hook ${oneLine(name, 60)}`),
    ...(rule === undefined ? [] : [`rule ${oneLine(rule)}${place ? ` (${formatPlace(place)})` : ''}`]),
    ...(source ? [`at ${server === undefined ? 'its source' : oneLine(server, 60)}: ${describeSource(source)}`] : []),
  ]
}

/** How far it came there, and what it took. */
function describeSource({ phase, kind, retries, queue_ms, run_ms, bytes }: SourceFacts): string {
  const times = [`${Math.round(queue_ms)} ms in the queue`, `${Math.round(run_ms)} ms at work`]
  const again = retries === 0 ? [] : [`tried ${retries + 1} times`]
  return [`${oneLine(kind ?? 'ok', 40)} ${REACHED[phase]}`, ...again, ...times, count(bytes, 'byte')].join(', ')
}

const REACHED: Readonly<Record<SourceFacts['phase'], string>> = {
  find: 'while the tool was looked for',
  connect: 'while its server was connected to',
  call: 'once the call was sent',
}
