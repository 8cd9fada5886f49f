import { createReporter, describe, isMap, joinPointer } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { Diagnostic, Located, Outcome } from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import { asksForFork, toolLimit, WITHOUT_EFFECT } from './config/fields.js'
import { nameOf, type SkillHeader } from './config/header.js'
import { folderOf } from './find/paths.js'
import { ARGUMENT_NAME } from './render/placeholders.js'
import type { Skill } from './types.js'

const report = createReporter(diagnosticCodes)

/** Says what a header means. */
export function compileSkill(entry: Located<SkillHeader>): Outcome<Skill> {
  const header = entry.value
  // Decided here and not in validation, so that a skill which is refused still shadows the farther ones of its name:
  // nobody gets in its place what may do more.
  const limit = toolLimit(header)
  if (limit !== undefined) return { diagnostics: [refused(entry, limit)] }

  const diagnostics: Diagnostic[] = []
  const fields = fieldReader(entry, diagnostics)
  const whenToUse = fields.text('when_to_use')
  const argumentHint = fields.hint('argument-hint')
  const license = fields.text('license')
  const compatibility = fields.text('compatibility')
  const metadata = fields.map('metadata')
  const file = entry.source.file ?? ''
  const skill: Skill = Object.freeze({
    name: nameOf(entry),
    description: header.description.trim(),
    ...(whenToUse === undefined ? {} : { whenToUse }),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    argumentNames: fields.names('arguments'),
    modelInvocable: !isOn(header['disable-model-invocation'], false),
    userInvocable: isOn(header['user-invocable'], true),
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(metadata === undefined ? {} : { metadata }),
    file,
    folder: folderOf(file),
  })
  diagnostics.push(...withoutEffect(entry))
  if (!skill.modelInvocable && !skill.userInvocable) diagnostics.push(unreachable(entry))
  return { value: skill, diagnostics }
}

function refused(entry: Located<SkillHeader>, field: string): Diagnostic {
  const pointer = joinPointer('', field)
  return report.error(
    'skills.restriction.not-supported',
    entry.at(pointer, 'key'),
    `\`${field}\` limits the tools of the skill, which this version cannot enforce; so the skill is not loaded.`,
    {
      entry: entry.id,
      pointer,
      hint: 'Remove the limit if the skill may use every tool that permission rules allow; keep it off otherwise.',
    },
  )
}

function withoutEffect(entry: Located<SkillHeader>): readonly Diagnostic[] {
  const forked = asksForFork(entry.value)
  return Object.keys(entry.value).flatMap((field) => {
    const instead = Object.hasOwn(WITHOUT_EFFECT, field) ? WITHOUT_EFFECT[field] : undefined
    if (instead === undefined || ((field === 'mode' || field === 'context') && !forked)) return []
    const pointer = joinPointer('', field)
    return [
      report.warning(
        'skills.field.not-supported',
        entry.at(pointer, 'key'),
        `\`${field}\` has no effect in this version: ${instead}.`,
        { entry: entry.id, pointer, hint: 'Check that the skill does what it should without it.' },
      ),
    ]
  })
}

function unreachable(entry: Located<SkillHeader>): Diagnostic {
  return report.warning('skills.unreachable', entry.at('/user-invocable', 'key'), 'Nobody may start this skill.', {
    entry: entry.id,
    pointer: '/user-invocable',
    hint: 'Remove `disable-model-invocation` or `user-invocable`.',
  })
}

/** The schema has admitted booleans and the words that stand for them. */
function isOn(value: unknown, absent: boolean): boolean {
  if (value === undefined) return absent
  return value === true || value === 1 || value === 'true' || value === 'yes' || value === 'on'
}

/** Reads fields that a skill can do without: of the wrong type, they are left out and reported. */
function fieldReader(entry: Located<SkillHeader>, diagnostics: Diagnostic[]) {
  const ignored = (field: string, expected: string) => {
    const value = entry.value[field]
    if (value === undefined || value === null) return
    diagnostics.push(
      report.warning(
        'skills.field.ignored',
        entry.at(joinPointer('', field)),
        `\`${field}\` is ${describe(value)}, not ${expected}; it is left out.`,
        { entry: entry.id, pointer: joinPointer('', field), expected: [expected], hint: `Write ${expected}.` },
      ),
    )
  }
  const text = (field: string): string | undefined => {
    const value = entry.value[field]
    if (typeof value === 'string') return value.trim() || undefined
    ignored(field, 'a text')
    return undefined
  }
  return {
    text,
    /** `[environment]` without quotes is a list for YAML; it is put back together. */
    hint(field: string): string | undefined {
      const value = entry.value[field]
      return Array.isArray(value) ? `[${value.map(String).join(', ')}]` : text(field)
    },
    map(field: string): JsonObject | undefined {
      const value = entry.value[field]
      if (isMap(value)) return deepFreeze(value as JsonObject)
      ignored(field, 'a map')
      return undefined
    },
    names(field: string): readonly string[] {
      const value = entry.value[field]
      const names = typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value
      if (!Array.isArray(names)) {
        ignored(field, 'a list of names')
        return []
      }
      for (const [index, name] of names.entries()) {
        if (typeof name === 'string' && ARGUMENT_NAME.test(name)) continue
        const pointer = typeof value === 'string' ? joinPointer('', field) : joinPointer('', field, index)
        diagnostics.push(
          report.warning(
            'skills.arguments.name',
            entry.at(pointer),
            `An argument can't be called ${JSON.stringify(name)}.`,
            {
              entry: entry.id,
              pointer,
              hint: `Use letters, digits, _ and -, starting with a letter; until then only $${index} stands for it.`,
            },
          ),
        )
      }
      return Object.freeze(names.map((name) => (typeof name === 'string' ? name : '')))
    },
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
