import { checkSchema, createReporter, hasErrors, parsePointer } from '@ext/kernel'
import type { Diagnostic, Located, Outcome } from '@ext/kernel/types'
import { diagnosticCodes } from '../../codes.js'
import { validateAgent } from '../../config/validators.generated.js'
import { limitOf, resemblesLimit } from './fields.js'

const report = createReporter(diagnosticCodes)

/** An agent file as it is written. */
export interface AgentFile {
  readonly header: Readonly<Record<string, unknown>>
  readonly body: string
}

/** An agent file whose name, description and model are well formed. */
export interface AgentEntry extends AgentFile {
  readonly header: {
    readonly description: string
    readonly model?: string
    readonly skills?: unknown
    readonly [field: string]: unknown
  }
  /** What the header says, or what the file is called. */
  readonly name: string
}

/** Control, format and bidi characters, line breaks, and halves of surrogate pairs. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Limits are not looked at here; see `compileAgent`. */
export function validateEntry(entry: Located<AgentFile>): Outcome<AgentEntry> {
  const checked = checkSchema<AgentEntry['header']>(validateAgent, { ...entry, value: entry.value.header })
  // What sets a limit, or seems to, is read or refused by the check of limits.
  const diagnostics: Diagnostic[] = checked.diagnostics.filter(({ code, pointer = '' }) => {
    const field = parsePointer(pointer)[0] ?? ''
    return code !== 'schema.unknown-key' || !(limitOf(field) || resemblesLimit(field))
  })
  const header = checked.value
  if (!header) return { diagnostics }
  const written = header['name']
  const name = (typeof written === 'string' ? written : fileName(entry)).trim()
  const details = { entry: entry.id }
  if (name === '' || NOT_IN_NAMES.test(name)) {
    diagnostics.push(
      report.error('agents.name.invalid', entry.at('/name'), `The name is ${JSON.stringify(name)}.`, {
        ...details,
        pointer: '/name',
        hint: 'Use visible characters on one line, best letters, digits and hyphens.',
      }),
    )
  }
  if (header.description.trim() === '') {
    diagnostics.push(
      report.error('agents.description.blank', entry.at('/description'), '`description` is blank.', {
        ...details,
        pointer: '/description',
        hint: 'Say what the agent does and when to use it: it is all that the model sees before it starts the agent.',
      }),
    )
  }
  return hasErrors(diagnostics) ? { diagnostics } : { value: { header, body: entry.value.body, name }, diagnostics }
}

function fileName({ source }: Located<unknown>): string {
  return (source.file ?? '').replace(/^.*[\\/]/s, '').replace(/\.md$/i, '')
}
