import type { SessionRef, Tool, ToolResult } from '@ext/kernel/contract'
import { defineTool } from '../../define-tool.js'
import { openForChange, replaceFile } from './change.js'
import type { FileHost } from './host.js'
import { findPlace, type Place } from './place.js'
import { count, done, problem, withNotes } from './result.js'
import { encodeUtf8, isWhole, openText } from './text-format.js'

export function writeTool(host: FileHost): Tool {
  return defineTool({
    name: 'Write',
    title: 'Write a file',
    description:
      'Writes a whole file, and makes the folders that it needs. A file that is there already has to be read before; its encoding, its kind of line breaks and the break at its end stay. To change a part of a file, use Edit.',
    kind: 'edit',
    annotations: { idempotent: true },
    inputSchema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', minLength: 1, description: 'Absolute, or from the working folder.' },
        content: { type: 'string', description: 'All of the new content.' },
      },
      required: ['file_path', 'content'],
      additionalProperties: false,
    },
    async run({ file_path, content }, { session }) {
      const { place, problem: nowhere } = await findPlace(file_path, session, host)
      if (!place) return problem(nowhere)
      return place.stat ? overwrite(place, content, session, host) : create(place, content, session, host)
    },
  })
}

async function create(place: Place, content: string, session: SessionRef, host: FileHost): Promise<ToolResult> {
  if (!isWhole(content)) return problem(HALF_CHARACTER)
  const bytes = encodeUtf8(content)
  const { editBytes } = host.limits
  if (bytes.length > editBytes) {
    return problem(`The content has ${count(bytes.length, 'byte')}; ${count(editBytes, 'byte')} are the limit.`)
  }
  const failed = await replaceFile(place, bytes, 'absent', session, host)
  if (failed !== undefined) return problem(failed)
  return done(`\`${place.shown}\` is written: a new file of ${linesIn(content)}.`)
}

async function overwrite(place: Place, content: string, session: SessionRef, host: FileHost): Promise<ToolResult> {
  const opened = await openForChange(place, session, host)
  if (opened.problem !== undefined) return problem(opened.problem)
  const editable = openText(opened.bytes)
  if (!editable) return problem(`\`${place.shown}\` is no valid UTF-16, so it can't be written as a text.`)
  const { text: before } = editable
  const isCrlf = before.includes('\r\n') && !/(?<!\r)\n/.test(before)
  const plain = isCrlf ? content.replace(/(?<!\r)\n/g, '\r\n') : content
  const addsBreak = before.endsWith('\n') && plain !== '' && !plain.endsWith('\n')
  const text = editable.toFile(addsBreak ? `${plain}${isCrlf ? '\r\n' : '\n'}` : plain)
  if (text === undefined) return problem(isWhole(content) ? notInFile(place.shown) : HALF_CHARACTER)
  const failed = await replaceFile(place, editable.encode(text), opened.version, session, host)
  if (failed !== undefined) return problem(failed)
  return done(
    withNotes(`\`${place.shown}\` is written: ${linesIn(text)}, ${linesIn(before)} before.`, [
      isCrlf && plain !== content ? 'its line breaks are CRLF, as they were' : undefined,
      addsBreak ? 'it ends with a line break, as it did' : undefined,
    ]),
  )
}

export const HALF_CHARACTER = 'The text holds half of a surrogate pair, which is no character.'

export function notInFile(shown: string): string {
  return `\`${shown}\` is no valid UTF-8, so nobody knows how other than ASCII characters are written in it. Convert it first, or use ASCII only.`
}

function linesIn(text: string): string {
  return count(text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0), 'line')
}
