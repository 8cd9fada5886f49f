import { checkSchema, createReporter, hasErrors, isMap, parsePointer } from '@ext/kernel'
import type { Diagnostic, Located, Outcome } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import { baseName, folderOf, isInFolder } from '../find/paths.js'
import { codePoints, foldName } from '../names.js'
import { isUserOnlySpelling, KNOWN_FIELDS, misspeltToolField, toolFieldOf } from './fields.js'
import { mergesLimits } from './tools.js'
import { validateSkill } from './validators.generated.js'

const report = createReporter(diagnosticCodes)

export const MAX_NAME = 64
/** No file system has longer ones; a catalog without limits would have no room for anything else. */
const LONGEST_NAME = 255
export const MAX_DESCRIPTION = 1024
/** Blanks, slash, control, format, bidi and other invisible characters, and halves of surrogate pairs. */
const NOT_IN_NAMES = /[\s/\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u

/** A header whose name, description and switches are well formed. */
export interface SkillHeader {
  readonly name?: string
  readonly description: string
  readonly [field: string]: unknown
}

/** The name of a skill: what its header says, or what its folder is called. */
export function nameOf(entry: Located<SkillHeader>): string {
  return entry.value.name ?? folderName(entry)
}

export function folderName(entry: Located<unknown>): string {
  return baseName(folderOf(entry.source.file ?? ''))
}

/** Whether a header has other fields than a name and a description, which is all that many have. */
export function saysMore(header: object): boolean {
  for (const field in header) if (field !== 'name' && field !== 'description') return true
  return false
}

export function validateHeader(entry: Located<unknown>): Outcome<SkillHeader> {
  if (isUsual(entry)) return { value: entry.value, diagnostics: NO_DIAGNOSTICS }
  const checked = checkSchema<SkillHeader>(validateSkill, entry, KNOWN_FIELDS)
  const header = checked.value
  const diagnostics =
    checked.diagnostics.length === 0
      ? []
      : checked.diagnostics.filter(
          ({ code, pointer = '' }) =>
            code !== 'schema.unknown-key' || !isReadAllTheSame(parsePointer(pointer)[0] ?? '', entry.value),
        )
  if (!header) return { diagnostics }
  const folder = folderName(entry)
  if (!isUsualName(header.name ?? '', entry.source.file)) diagnostics.push(...checkName(entry, header.name, folder))
  diagnostics.push(...checkDescription(entry, header.description))
  return hasErrors(diagnostics) ? { diagnostics } : { value: header, diagnostics }
}

/** Most have a name like that of their folder and a description, and so nothing is to be said of them. */
function isUsual(entry: Located<unknown>): entry is Located<SkillHeader> {
  const { value, source } = entry
  if (!isMap(value) || saysMore(value)) return false
  const { name, description } = value
  return (
    typeof name === 'string' &&
    typeof description === 'string' &&
    description.length <= MAX_DESCRIPTION &&
    /\S/.test(description) &&
    isUsualName(name, source.file)
  )
}

function isUsualName(name: string, file: string | undefined): boolean {
  return USUAL_NAME.test(name) && isInFolder(file ?? '', name)
}

const USUAL_NAME = /^[a-z0-9-]{1,64}$/

/** What takes something away is read in an unusual spelling as well, or refused, when the header is compiled. */
function isReadAllTheSame(field: string, header: unknown): boolean {
  const misspelt = misspeltToolField(field)
  return (
    toolFieldOf(field) !== undefined ||
    isUserOnlySpelling(field) ||
    (misspelt ?? 'allowed-tools') !== 'allowed-tools' ||
    (isMap(header) && mergesLimits(field, header))
  )
}

function checkName(entry: Located<unknown>, written: string | undefined, folder: string): readonly Diagnostic[] {
  const name = written ?? folder
  const details = { entry: entry.id, pointer: '/name' }
  const from = written === undefined ? 'The name of the folder, which stands in for the missing `name`,' : '`name`'
  if (name === '' || NOT_IN_NAMES.test(name)) {
    return [
      report.error('skills.name.invalid', entry.at('/name'), `${from} is ${JSON.stringify(name)}.`, {
        ...details,
        hint: 'Use letters, digits and hyphens: no blanks, no slash, no invisible characters.',
      }),
    ]
  }
  if (name.length > LONGEST_NAME) {
    const found = `${from} has ${codePoints(name)} characters.`
    const hint = `Shorten it to ${MAX_NAME}; more than ${LONGEST_NAME} are no name, and nobody could type it.`
    return [report.error('skills.name.invalid', entry.at('/name'), found, { ...details, hint })]
  }
  const warnings: Diagnostic[] = []
  // There are never more characters than UTF-16 units.
  const length = name.length > MAX_NAME ? codePoints(name) : 0
  if (length > MAX_NAME) {
    warnings.push(
      report.warning(
        'skills.name.long',
        entry.at('/name'),
        `${from} has ${length} characters, more than ${MAX_NAME}.`,
        {
          ...details,
          hint: 'Shorten it, so that other programs accept the skill too.',
        },
      ),
    )
  }
  if (foldName(name) !== foldName(folder)) {
    warnings.push(
      report.warning(
        'skills.name.mismatch',
        entry.at('/name'),
        `The skill \`${name}\` is in the folder \`${folder}\`.`,
        {
          ...details,
          hint: `Rename the folder to \`${name}\`, or the skill to \`${folder}\`: some programs go by the one, some by the other.`,
        },
      ),
    )
  }
  return warnings
}

function checkDescription(entry: Located<unknown>, description: string): readonly Diagnostic[] {
  const isBlank = description.trim() === ''
  if (!isBlank && description.length <= MAX_DESCRIPTION) return NO_DIAGNOSTICS
  const details = { entry: entry.id, pointer: '/description' }
  if (isBlank) {
    return [
      report.error('skills.description.empty', entry.at('/description'), '`description` is blank.', {
        ...details,
        hint: 'Say what the skill does and when to use it: it is all that the model sees before it loads the skill.',
      }),
    ]
  }
  const length = codePoints(description)
  if (length <= MAX_DESCRIPTION) return NO_DIAGNOSTICS
  return [
    report.warning(
      'skills.description.long',
      entry.at('/description'),
      `\`description\` has ${length} characters, more than ${MAX_DESCRIPTION}.`,
      { ...details, hint: 'Move details into the body, so that other programs accept the skill too.' },
    ),
  ]
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([])
