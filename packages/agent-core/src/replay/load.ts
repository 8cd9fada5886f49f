import { checkSchema, createReporter, isMap, type Outcome, parseDocument } from '@ext/kernel'
import type { Diagnostic, Source } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import { validateRecordingLine } from '../config/validators.generated.js'
import type { ModelRequest } from '../types.js'
import {
  type CallLine,
  type HeaderLine,
  type RecordedCall,
  type Recording,
  type RecordingLine,
  type RequestPart,
  VERSION,
} from './recording.js'
import { createMarker } from './request.js'

const report = createReporter(diagnosticCodes)

/**
 * Reads a recording. A line that can't be used is left out with a warning; without a first line that says what was recorded
 * and in which version there is no value. Several recordings may stand one behind the other; the first names the model.
 * @param options.file names the text in diagnostics and in what a replay throws
 */
export async function loadRecording(text: string, options: { readonly file: string }): Promise<Outcome<Recording>> {
  const { file } = options
  const diagnostics: Diagnostic[] = []
  const lines = (text.startsWith('\uFEFF') ? text.slice(1) : text).split('\n')
  const found: FoundCall[] = []
  let header: HeaderLine | undefined
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const { json, value, problem, source } = await readLine(line, sourceOf(file, index + 1))
    const newer = newerVersion(json)
    if (newer !== undefined) return { diagnostics: [...diagnostics, tooNew(source, newer)] }
    if (!header) {
      if (value?.type !== 'recording') return { diagnostics: [noHeader(source)] }
      header = value
    } else if (value?.type === 'call') {
      found.push({ line: value, source })
    } else if (!value) {
      const torn = index === lines.length - 1 && json === undefined
      diagnostics.push(torn ? tornLine(source) : badLine(source, problem))
    }
  }
  if (!header) return { diagnostics: [noHeader(sourceOf(file, 1))] }
  const { model, limits } = header
  const { calls, gaps } = await wholeCalls(found)
  return {
    value: { file, model, ...(limits ? { limits } : {}), calls },
    diagnostics: [...diagnostics, ...gaps.map(gap)],
  }
}

interface FoundCall {
  readonly line: CallLine
  readonly source: Source
}

interface ReadLine {
  /** Where it stands, or where it is wrong. */
  readonly source: Source
  /** Absent when it is no JSON. */
  readonly json?: unknown
  readonly value?: RecordingLine
  readonly problem?: string
}

/** Most lines are fine, and only the others are worth a parser that knows places. */
async function readLine(line: string, start: Source): Promise<ReadLine> {
  const json = attempt(line)
  if (validateRecordingLine(json)) return { source: start, json, value: json as RecordingLine }
  const parsed = await parseDocument(line, 'json', { layer: start.layer, dialect: 'recording', file: start.file ?? '' })
  const { document } = parsed
  const misfits = document && checkSchema(validateRecordingLine, document.located('', document.value)).diagnostics
  const [first] = [...parsed.diagnostics, ...(misfits ?? [])]
  return {
    source: { ...start, column: first?.source.column ?? 1 },
    ...(json === undefined ? {} : { json }),
    problem: first?.message ?? 'It is no line of a recording.',
  }
}

function attempt(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function sourceOf(file: string, line: number): Source {
  return { layer: 'command-line', file, line, column: 1 }
}

/** Puts every request together again, those that continue another one behind it. */
async function wholeCalls(
  found: readonly FoundCall[],
): Promise<{ readonly calls: readonly RecordedCall[]; readonly gaps: readonly Source[] }> {
  const marksOf = createMarker()
  const byDigest = new Map<string, ModelRequest>()
  const calls: RecordedCall[] = []
  const gaps: Source[] = []
  for (const { line, source } of found) {
    const { call, digest, events, end } = line
    const request = wholeRequest(line.request, byDigest)
    if (request) {
      byDigest.set(digest, request)
      // What stands in the request counts, not its digest, so that a recording can be edited.
      calls.push({ call, digest: (await marksOf(request)).digest, request, events, end })
    } else {
      gaps.push(source)
      calls.push({ call, digest, events, end })
    }
  }
  return { calls, gaps }
}

/** `undefined` when what it continues is not there. */
function wholeRequest(
  { from, system, tools, messages }: RequestPart,
  byDigest: ReadonlyMap<string, ModelRequest>,
): ModelRequest | undefined {
  const base = from ? byDigest.get(from.digest) : EMPTY
  const kept = from?.messages ?? 0
  if (!base || base.messages.length < kept) return undefined
  return {
    system: system ?? base.system,
    tools: tools ?? base.tools,
    messages: [...base.messages.slice(0, kept), ...messages],
  }
}

const EMPTY: ModelRequest = { system: '', tools: [], messages: [] }

function newerVersion(json: unknown): number | undefined {
  if (!isMap(json) || json['type'] !== 'recording') return undefined
  const version = json['version']
  return typeof version === 'number' && version > VERSION ? version : undefined
}

function tooNew(source: Source, version: number): Diagnostic {
  return report.error(
    'recording.version',
    source,
    `The recording has version ${version}; versions up to ${VERSION} can be read.`,
    { hint: 'Update @ext/agent-core, or record it anew.' },
  )
}

function noHeader(source: Source): Diagnostic {
  return report.error('recording.header', source, 'The first line does not say what was recorded.', {
    expected: [`{"type":"recording","version":${VERSION},"model":"…"}`],
    hint: 'Point it at a file that `recordedModel` has written.',
  })
}

function tornLine(source: Source): Diagnostic {
  return report.warning('recording.torn', source, 'The last line breaks off, so its call is left out.', {
    hint: 'Record it anew if that call is needed.',
  })
}

function badLine(source: Source, problem = ''): Diagnostic {
  return report.warning('recording.line', source, `The line is left out: ${problem}`, {
    hint: 'Repair the line, remove it, or record it anew.',
  })
}

function gap(source: Source): Diagnostic {
  return report.warning(
    'recording.gap',
    source,
    'The call continues one that is not in the recording, so only a request that is the same to the letter can find it.',
    { hint: 'Put the missing line back, or record it anew.' },
  )
}
