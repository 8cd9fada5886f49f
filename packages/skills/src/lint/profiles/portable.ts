import { createReporter, describe, isMap, joinPointer } from '@ext/kernel'
import type { Diagnostic } from '@ext/kernel/types'
import { diagnosticCodes } from '../../codes.js'
import { PORTABLE_FIELDS } from '../../config/fields.js'
import { folderName, MAX_DESCRIPTION, MAX_NAME } from '../../config/header.js'
import { splitTools } from '../../config/tool-list.js'
import { codePoints } from '../../names.js'
import type { LintSubject } from '../subject.js'

const report = createReporter(diagnosticCodes)
const MAX_COMPATIBILITY = 500
const HYPHENS = '-'.repeat(3)

type Finding = Diagnostic

/**
 * The open Agent Skills format as its specification has it, without what single programs add. An error: a program that
 * holds to it refuses the skill, or reads another one.
 */
export function checkPortable(subject: LintSubject): readonly Finding[] {
  return [
    ...fences(subject),
    ...fields(subject),
    ...name(subject),
    ...description(subject),
    ...texts(subject),
    ...metadata(subject),
    ...allowedTools(subject),
  ]
}

function fences({ header, text, body, rescued, bodyLine }: LintSubject): readonly Finding[] {
  const findings: Finding[] = []
  const { source } = header
  if (rescued) {
    const message = 'The header is no valid YAML: a text without quotes holds a colon with a blank behind it.'
    findings.push(
      report.error('skills.portable.yaml', header.at(), message, {
        entry: header.id,
        hint: 'Put the text between quotes.',
      }),
    )
  }
  // Where the file ends with the closing fence, there is no line behind it.
  const endsWithFence = body === '' && text.endsWith(`\n${HYPHENS}`)
  const lines = text.split('\n', endsWithFence ? bodyLine - 1 : bodyLine - 2)
  for (const [index, written] of lines.entries()) {
    if (index === 0) continue
    const line = written.replace(/\r$/, '')
    const dashes = line.indexOf(HYPHENS)
    const place = { ...header.at(), layer: source.layer, line: index + 1, endLine: index + 1 }
    if (dashes !== -1) {
      const message = 'Some programs end the header at the first `---`, wherever it stands.'
      const at = { ...place, column: dashes + 1, endColumn: dashes + 4 }
      findings.push(
        report.warning('skills.portable.fence', at, message, { entry: header.id, hint: 'Write it as — or --.' }),
      )
    }
    const [, before = ''] = /^([\w-]+:[ \t]+|[ \t]+- )(?:[[{&*!])/.exec(line) ?? []
    if (before !== '') {
      const message = 'The reference validator takes no lists or maps in brackets, no anchors and no tags.'
      const at = { ...place, column: before.length + 1, endColumn: line.length + 1 }
      const hint = 'Write a plain text, or one item a line.'
      findings.push(report.warning('skills.portable.yaml', at, message, { entry: header.id, hint }))
    }
  }
  return findings
}

function fields({ header }: LintSubject): readonly Finding[] {
  return Object.keys(header.value)
    .filter((field) => !PORTABLE_FIELDS.includes(field))
    .map((field) =>
      report.error(
        'skills.portable.field',
        header.at(joinPointer('', field), 'key'),
        `\`${field}\` is no field of the open format.`,
        { ...about(header, field), hint: 'Move it below `metadata`, as a text, or leave it out.' },
      ),
    )
}

function name(subject: LintSubject): readonly Finding[] {
  const { header } = subject
  const { name: written } = header.value
  const folder = folderName(header)
  if (typeof written !== 'string') {
    return [
      report.error('skills.portable.name', header.at(), '`name` is missing; the folder does not stand in for it.', {
        ...about(header, 'name'),
        hint: `Add \`name: ${folder}\`.`,
      }),
    ]
  }
  const findings: Finding[] = []
  const fault = (message: string, hint: string) =>
    findings.push(report.error('skills.portable.name', header.at('/name'), message, { ...about(header, 'name'), hint }))
  const fixed = written
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replace(/^-|-$/g, '')
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(written)) {
    const hint = fixed === '' ? 'Use a-z, 0-9 and single hyphens.' : `Write \`${fixed}\`, and rename the folder.`
    fault(`\`name\` is ${JSON.stringify(written)}; it may hold a-z, 0-9 and single hyphens between them.`, hint)
  }
  if (codePoints(written) > MAX_NAME) {
    fault(`\`name\` has ${codePoints(written)} characters, more than ${MAX_NAME}.`, 'Shorten it.')
  }
  if (written.normalize('NFKC') !== folder.normalize('NFKC')) {
    fault(`\`name\` is \`${written}\` and the folder \`${folder}\`.`, `Rename the folder to \`${fixed || written}\`.`)
  }
  return findings
}

function description({ header }: LintSubject): readonly Finding[] {
  const { description: written } = header.value
  const length = typeof written === 'string' ? codePoints(written) : 0
  if (length <= MAX_DESCRIPTION) return []
  return [
    report.error(
      'skills.portable.description',
      header.at('/description'),
      `\`description\` has ${length} characters, more than ${MAX_DESCRIPTION}.`,
      { ...about(header, 'description'), hint: 'Move details into the body.' },
    ),
  ]
}

function texts({ header }: LintSubject): readonly Finding[] {
  const { license, compatibility } = header.value
  const findings: Finding[] = []
  const fault = (field: string, message: string, hint: string) => {
    const at = header.at(joinPointer('', field))
    findings.push(report.error('skills.portable.value', at, message, { ...about(header, field), hint }))
  }
  if (license !== undefined && typeof license !== 'string') {
    fault('license', `\`license\` is ${describe(license)}, not a text.`, 'Write a name, or the name of a file.')
  }
  if (compatibility === undefined) return findings
  const length = typeof compatibility === 'string' ? codePoints(compatibility) : 0
  if (length === 0 || length > MAX_COMPATIBILITY) {
    const found = length === 0 ? describe(compatibility) : `a text of ${length} characters`
    const hint = 'Say in a sentence what the skill needs, or leave it out.'
    fault('compatibility', `\`compatibility\` is ${found}, not a text of 1 to ${MAX_COMPATIBILITY} characters.`, hint)
  }
  return findings
}

function metadata({ header }: LintSubject): readonly Finding[] {
  const { metadata: written } = header.value
  if (written === undefined) return []
  if (!isMap(written)) {
    const message = `\`metadata\` is ${describe(written)}, not a map of texts.`
    const hint = 'Write one `key: "text"` a line below it.'
    return [
      report.error('skills.portable.value', header.at('/metadata'), message, { ...about(header, 'metadata'), hint }),
    ]
  }
  return Object.entries(written)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key, value]) => {
      const pointer = joinPointer('/metadata', key)
      const message = `\`metadata.${key}\` is ${describe(value)}, not a text.`
      const isPlain = typeof value === 'number' || typeof value === 'boolean'
      const hint = isPlain ? `Write "${String(value)}" with quotes.` : 'Write it as one text.'
      return report.warning('skills.portable.value', header.at(pointer), message, { entry: header.id, pointer, hint })
    })
}

function allowedTools({ header }: LintSubject): readonly Finding[] {
  const written = header.value['allowed-tools']
  if (written === undefined) return []
  const split = splitTools(written)
  if (!split.words || (typeof written === 'string' && !/,/.test(written.replace(/\([^()]*\)/g, '')))) return []
  const fixed = split.words.map(({ text }) => text).join(' ')
  const how = typeof written === 'string' ? 'a text with commas' : 'a list'
  const message = `\`allowed-tools\` is ${how}; the open format has one text with blanks.`
  const hint = fixed === '' ? 'Leave it out.' : `Write \`allowed-tools: ${fixed}\`.`
  const details = { ...about(header, 'allowed-tools'), hint }
  const severity = typeof written === 'string' ? 'warning' : 'error'
  return [report[severity]('skills.portable.tools', header.at('/allowed-tools'), message, details)]
}

function about(header: LintSubject['header'], field: string): Pick<Diagnostic, 'entry' | 'pointer'> {
  return { entry: header.id, pointer: joinPointer('', field) }
}
