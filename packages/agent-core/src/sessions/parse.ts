import { createReporter, isMap, messageOf } from '@ext/kernel'
import type { Diagnostic, Source } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import { eventProblem, headerProblem } from './check.js'
import { createFold } from './fold.js'
import { LOG_VERSION, type SessionEvent, type SessionHeader } from './log.js'

const report = createReporter(diagnosticCodes)

/** A log as far as it can be used. */
export interface ParsedLog {
  /** Absent when nothing of it can be used: `diagnostics` says why. */
  readonly header?: SessionHeader
  readonly events: readonly SessionEvent[]
  /** At most one: reading ends with the first line that can't be used. */
  readonly diagnostics: readonly Diagnostic[]
  /** Bytes of the lines that are used. */
  readonly usedBytes: number
  /**
   * What stands behind them. `torn`: a line that was not written to its end · `damaged`: lines that nobody can use ·
   * `newer`: this version must not touch the file
   */
  readonly rest: 'nothing' | 'torn' | 'damaged' | 'newer'
}

const NEWLINE = 10

/**
 * Reads the log of a session, line by line until one can't be used. A last line without its end is what a process left that
 * was killed while it wrote.
 * @param file names it in diagnostics
 */
export function parseLog(bytes: Uint8Array, file: string): ParsedLog {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const events: SessionEvent[] = []
  let header: SessionHeader | undefined
  let fold: ReturnType<typeof createFold> | undefined
  let at = 0
  const stopped = (rest: ParsedLog['rest'], diagnostic: Diagnostic): ParsedLog => ({
    ...(header ? { header } : {}),
    events,
    diagnostics: [diagnostic],
    usedBytes: at,
    rest,
  })
  for (let line = 1; at < bytes.length; line++) {
    const source = { layer: 'user', file, line, column: 1 } as const
    const end = bytes.indexOf(NEWLINE, at)
    if (end === -1) return stopped('torn', header ? torn(source) : noHeader(source, 'it breaks off'))
    const { value, problem } = parseLine(decoder, bytes.subarray(at, end))
    if (!header) {
      const newer = newerVersion(value)
      if (newer !== undefined) return stopped('newer', tooNew(source, newer))
      const wrong = problem ?? headerProblem(value)
      if (wrong !== undefined) return stopped('damaged', noHeader(source, wrong))
      header = value as SessionHeader
      fold = createFold(header)
    } else {
      const wrong = problem ?? eventProblem(value) ?? fold?.add(value as SessionEvent)
      if (wrong !== undefined) return stopped('damaged', badLine(source, wrong))
      events.push(value as SessionEvent)
    }
    at = end + 1
  }
  if (!header) return stopped('damaged', noHeader({ layer: 'user', file, line: 1, column: 1 }, 'the file is empty'))
  return { header, events, diagnostics: [], usedBytes: at, rest: 'nothing' }
}

function parseLine(
  decoder: { decode(bytes: Uint8Array): string },
  line: Uint8Array,
): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(decoder.decode(line)) }
  } catch (error) {
    return { problem: `it is no JSON: ${messageOf(error)}` }
  }
}

function newerVersion(value: unknown): number | undefined {
  if (!isMap(value) || value['type'] !== 'session') return undefined
  const { version } = value
  return typeof version === 'number' && version > LOG_VERSION ? version : undefined
}

function tooNew(source: Source, version: number): Diagnostic {
  return report.error(
    'session.version',
    source,
    `The log has version ${version}; versions up to ${LOG_VERSION} can be read. It is left as it is.`,
    { hint: 'Resume the session with the newer version of this program that wrote it, or update.' },
  )
}

function noHeader(source: Source, why: string): Diagnostic {
  return report.error('session.header', source, `The first line does not say whose session it is: ${why}.`, {
    expected: [`{"type":"session","version":${LOG_VERSION},"id":"…","at":"…","cwd":"…","permissionMode":"default"}`],
    hint: 'The file is no log of a session, or its beginning is lost; nothing of it can be resumed.',
  })
}

function torn(source: Source): Diagnostic {
  return report.warning('session.torn', source, 'The last line breaks off, so what it was to hold is left out.', {
    hint: 'Nothing need be done: the program was ended while it wrote. Look at what it did last.',
  })
}

function badLine(source: Source, why: string): Diagnostic {
  return report.error('session.line', source, `The line can’t be used: ${why}. The session ends before it.`, {
    hint: 'Repair the line to have what stands from there on; the file is kept.',
  })
}
