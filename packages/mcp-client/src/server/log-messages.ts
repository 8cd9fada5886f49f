import { messageOf } from '@ext/kernel'
import { redact } from '@ext/kernel/env'
import type { ClockPort } from '@ext/kernel/types'
import type { LogLevel } from '../asked.js'
import { plain } from '../connect/log.js'
import type { ServerNotice, Session } from '../connect/session.js'
import { isDeeperThan } from '../depth.js'
import { Deadline } from './deadline.js'

/** Of one message; the rest of it is left out. */
const MAX_TEXT = 8192
const MAX_LINES = 50
/** What is looked through for secrets. */
const MAX_DATA = 256 * 1024
/** Deeper than this nobody reads it, and far deeper it would overflow the stack. */
const MAX_DEPTH = 64

const LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] satisfies readonly LogLevel[]

/** A message that a server logs, as lines for people: masked and without control characters. */
export function logLines(
  { level, logger, data }: Extract<ServerNotice, { type: 'log' }>,
  secrets: readonly string[],
): { readonly level: LogLevel; readonly lines: readonly string[] } {
  const text = typeof data === 'string' ? data.slice(0, MAX_DATA) : undefined
  const masked = text === undefined ? maskedJson(data, secrets) : redact(text, { secrets })
  const from = logger === undefined ? '' : `${redact(logger.slice(0, 100), { secrets })}: `
  const lines = plain(`${from}${masked}`.slice(0, MAX_TEXT)).split('\n').slice(0, MAX_LINES)
  return { level: LEVELS.includes(level) ? (level as LogLevel) : 'info', lines }
}

function maskedJson(data: unknown, secrets: readonly string[]): string {
  if (isDeeperThan(data, MAX_DEPTH)) return `[left out: JSON nested more than ${MAX_DEPTH} deep]`
  const json = JSON.stringify(data) ?? 'nothing'
  if (json.length > MAX_DATA) return `[left out: ${json.length} characters of JSON]`
  return typeof data === 'object' && data !== null
    ? redact(data as Readonly<Record<string, unknown>>, { secrets })
    : redact(json, { secrets })
}

/** @returns why the server does not log from this level on, as the rest of a sentence; `undefined` if it does */
export async function setLogLevel(
  session: Session,
  level: LogLevel,
  clock: ClockPort,
  withinMs: number,
): Promise<string | undefined> {
  const deadline = new Deadline(clock, { idleMs: withinMs, background: true })
  try {
    await session.ask('logging/setLevel', { level }, { signal: deadline.signal })
    return undefined
  } catch (error) {
    return messageOf(error)
  } finally {
    deadline.end()
  }
}
