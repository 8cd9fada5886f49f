import { SourceText } from '@ext/kernel'
import type { SessionRef, Tool, ToolResult } from '@ext/kernel/contract'
import { defineTool } from '../../define-tool.js'
import { openForChange, replaceFile } from './change.js'
import { contentKind, HEAD_BYTES } from './content-kind.js'
import { type Found, findText, replaceAt, toLf } from './find-text.js'
import type { FileHost } from './host.js'
import { numbered } from './lines.js'
import { explainNotFound } from './not-found.js'
import { findPlace, type Place } from './place.js'
import { count, done, problem } from './result.js'
import { isWhole, openText } from './text-format.js'
import { HALF_CHARACTER, notInFile } from './write.js'

interface Change {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean
}

export function editTool(host: FileHost): Tool {
  return defineTool({
    name: 'Edit',
    title: 'Change a file',
    description:
      'Replaces an exact text in a file with another one. The file has to be read before, and must not have changed since. The text has to be in it once, unless all are to be replaced; line breaks match however the file writes them.',
    kind: 'edit',
    inputSchema: {
      type: 'object',
      properties: {
        file_path: { type: 'string', minLength: 1, description: 'Absolute, or from the working folder.' },
        old_string: {
          type: 'string',
          minLength: 1,
          description: 'What stands there, with its white space, without line numbers. Enough of it to be found once.',
        },
        new_string: { type: 'string', description: 'What is to stand there.' },
        replace_all: { type: 'boolean', description: 'Replace it wherever it stands. Default false.' },
      },
      required: ['file_path', 'old_string', 'new_string'],
      additionalProperties: false,
    },
    async run(input, { session }) {
      if (toLf(input.old_string) === toLf(input.new_string))
        return problem('Both texts are the same: nothing to change.')
      const { place, problem: nowhere } = await findPlace(input.file_path, session, host)
      return place ? change(place, input, session, host) : problem(nowhere)
    },
  })
}

async function change(
  place: Place,
  { old_string, new_string, replace_all = false }: Change,
  session: SessionRef,
  host: FileHost,
): Promise<ToolResult> {
  const { shown } = place
  const opened = await openForChange(place, session, host)
  if (opened.problem !== undefined) return problem(opened.problem)
  const kind = contentKind(opened.bytes.subarray(0, HEAD_BYTES))
  const editable = kind.kind === 'text' ? openText(opened.bytes) : undefined
  if (!editable) return problem(`\`${shown}\` is no valid text, so it can't be edited.`)
  const { text } = editable
  const next = editable.toFile(new_string)
  if (next === undefined) return problem(isWhole(new_string) ? notInFile(shown) : HALF_CHARACTER)
  const wanted = editable.toFile(old_string)
  const places = wanted === undefined ? [] : findText(text, wanted)
  const [first] = places
  if (!first) return problem(`The text is not in \`${shown}\`. ${explainNotFound(text, old_string)}`)
  if (places.length > 1 && !replace_all) return problem(severalPlaces(text, places, shown))
  const changed = replaceAt(text, places, next)
  const failed = await replaceFile(place, editable.encode(changed), opened.version, session, host)
  if (failed !== undefined) return problem(failed)
  const many = places.length > 1 ? ` in ${places.length} places; the first one` : ''
  return done(`\`${shown}\` is changed${many}:\n${around(changed, first, toLf(new_string))}`)
}

function severalPlaces(text: string, places: readonly Found[], shown: string): string {
  const source = new SourceText(text)
  const lines = places.slice(0, 10).map(({ start }) => source.position(start).line)
  const where = `${lines.join(', ')}${places.length > lines.length ? ', …' : ''}`
  return `The text is in \`${shown}\` ${count(places.length, 'time')}, at lines ${where}. Give more of what stands around it, or set replace_all.`
}

/** Lines before and behind a change that are shown with it. */
const AROUND = 3
const SHOWN_LINES = 40
const SHOWN_CHARACTERS = 200

/** The lines as they are now. */
function around(text: string, { start }: Found, next: string): string {
  const source = new SourceText(text)
  const { line } = source.position(start)
  const first = Math.max(1, line - AROUND)
  const last = Math.min(line + next.split('\n').length - 1 + AROUND, first + SHOWN_LINES - 1)
  const lines: string[] = []
  for (let number = first; number <= last; number++) {
    const shown = source.line(number)
    // Behind the last line break there is no line.
    if (shown === undefined || (shown === '' && source.line(number + 1) === undefined && number > line)) break
    lines.push(shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown)
  }
  return numbered(lines, first)
}
