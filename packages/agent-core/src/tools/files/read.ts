import type { Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import type { OpenFile } from '@ext/kernel/types'
import { textBlock } from '../../call/content.js'
import { defineTool } from '../../define-tool.js'
import { contentKind, HEAD_BYTES } from './content-kind.js'
import type { FileHost } from './host.js'
import { type LineRange, type Lines, linesOf, MAX_LINE, numbered, readLines } from './lines.js'
import { findPlace, noFile, type Place } from './place.js'
import { fingerprint } from './read-files.js'
import { count, done, problem, withNotes } from './result.js'
import { decode, describeFormat, formatOf, type TextFormat, toUnits } from './text-format.js'

/** Up to this size a file is read as a whole, and then it is known exactly whether it changes. Bytes. */
const WHOLE_BYTES = 1024 * 1024

export function readTool(host: FileHost): Tool {
  const most = host.limits.readLines
  return defineTool({
    name: 'Read',
    title: 'Read a file',
    description: `Reads a text file, or shows an image (PNG, JPEG, GIF, WebP). Each line comes behind its number and a tab, which are not part of the file. Gives at most ${most} lines; lines are cut at ${MAX_LINE} characters. A file has to be read before it can be changed.`,
    kind: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', minLength: 1, description: 'Absolute, or from the working folder.' },
        offset: { type: 'integer', minimum: 1, description: 'Number of the first line. Default 1.' },
        limit: { type: 'integer', minimum: 1, maximum: most, description: `How many lines. Default ${most}.` },
      },
      required: ['file_path'],
      additionalProperties: false,
    },
    async run({ file_path, offset = 1, limit = most }, context) {
      const { place, problem: nowhere } = await findPlace(file_path, context.session, host)
      if (!place) return problem(nowhere)
      const missing = await noFile(place, context.session, host)
      if (missing !== undefined) return problem(missing)
      const range = { first: offset, most: limit, characters: host.limits.characters }
      const read = await host.files.read(place.real, (file) => readOpen(file, place, range, context, host))
      return read.failure === undefined ? read.value : problem(`\`${place.shown}\`: ${read.message}`)
    },
  })
}

async function readOpen(
  file: OpenFile,
  { real, shown }: Place,
  range: LineRange,
  { session, signal }: ToolContext,
  host: FileHost,
): Promise<ToolResult> {
  const { size, version } = file.stat
  const head = await file.read(0, HEAD_BYTES)
  const kind = contentKind(head)
  if (kind.kind === 'image') return showImage(file, shown, kind.mimeType, host)
  if (kind.kind === 'binary') return problem(`\`${shown}\` is no text: it is ${kind.what} of ${count(size, 'byte')}.`)
  const format = formatOf(head)
  if (size > WHOLE_BYTES) {
    const lines = await readLines(file, format, range, signal)
    host.read.set(session, real, { version, content: undefined })
    return report(lines, format, shown)
  }
  // Not as much as its size: files of /proc say that they are empty.
  const bytes = await file.read(0, WHOLE_BYTES)
  host.read.set(session, real, { version, content: await fingerprint(bytes) })
  return report(linesOf(decode(bytes, format), range), format, shown)
}

function report(
  { lines, first, total, cut, invalid, crlf, endsWithBreak }: Lines,
  format: TextFormat,
  shown: string,
): ToolResult {
  if (total === 0) return done(withNotes('', [`\`${shown}\` is empty`, describeFormat(format)]))
  if (lines.length === 0) {
    return problem(`\`${shown}\` has ${count(total ?? first - 1, 'line')}; there is no line ${first}.`)
  }
  const last = first + lines.length - 1
  const isEnd = last === total
  const isWhole = first === 1 && isEnd
  const of = total === undefined ? 'there are more' : `there are ${total}`
  const more = isEnd ? '' : `; go on with offset ${last + 1}`
  return done(
    withNotes(numbered(lines, first), [
      isWhole ? undefined : `lines ${first} to ${last}, ${of}${more}`,
      cut.length > 0
        ? `cut at ${MAX_LINE} characters: line ${cut.slice(0, 20).join(', ')}${cut.length > 20 ? ', …' : ''}`
        : undefined,
      describeFormat(format),
      invalid
        ? `not all of it is valid ${format.encoding.toUpperCase()}; what is not stands here as \uFFFD`
        : undefined,
      crlf ? 'the line breaks are CRLF, which stay when the file is changed' : undefined,
      isEnd && !endsWithBreak ? 'no line break at the end' : undefined,
    ]),
  )
}

async function showImage(file: OpenFile, shown: string, mimeType: string, { limits }: FileHost): Promise<ToolResult> {
  const { size } = file.stat
  if (size > limits.imageBytes) {
    return problem(
      `\`${shown}\` is an image of ${count(size, 'byte')}; ${count(limits.imageBytes, 'byte')} are the limit.`,
    )
  }
  const data = btoa(toUnits(await file.read(0, size)))
  return {
    content: [textBlock(`\`${shown}\`, ${mimeType}, ${count(size, 'byte')}`), { type: 'image', data, mimeType }],
    isError: false,
  }
}
