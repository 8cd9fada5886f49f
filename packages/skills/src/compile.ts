import { createReporter, describe, hasErrors, isForeignLayer, isMap, joinPointer } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { Diagnostic, Located, Outcome } from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import type { CompileContext } from './config/context.js'
import { WITHOUT_EFFECT } from './config/fields.js'
import { nameOf, type SkillHeader } from './config/header.js'
import { readMode } from './config/mode.js'
import { readPaths } from './config/paths.js'
import { namesTools, readTools } from './config/tools.js'
import { folderOf } from './find/paths.js'
import { ARGUMENT_NAME } from './render/placeholders.js'
import type { Effort, Skill } from './types.js'

const report = createReporter(diagnosticCodes)

/** Says what a header means. An error among the diagnostics of a limit: the skill is not loaded. */
export function compileSkill(entry: Located<SkillHeader>, context: CompileContext): Outcome<Skill> {
  const header = entry.value
  const diagnostics: Diagnostic[] = []
  // Decided here and not in validation, so that a skill which is refused still shadows the farther ones of its name:
  // nobody gets in its place what may do more.
  const { mode, forkContext, unclear, diagnostics: ofMode } = readMode(entry)
  const { lists, diagnostics: ofTools } = readTools(entry, mode, context)
  diagnostics.push(...ofMode, ...ofTools)
  if (unclear !== undefined && namesTools(header)) diagnostics.push(limited(entry, unclear))
  if (hasErrors(diagnostics)) return { diagnostics }

  const fields = fieldReader(entry, diagnostics)
  const { paths, diagnostics: ofPaths } = readPaths(entry, context)
  diagnostics.push(...ofPaths)
  const file = entry.source.file ?? ''
  const skill: Skill = Object.freeze({
    name: nameOf(entry),
    description: header.description.trim(),
    ...present('whenToUse', fields.text('when_to_use')),
    ...present('argumentHint', fields.hint('argument-hint')),
    argumentNames: fields.names('arguments'),
    modelInvocable: !isOn(header['disable-model-invocation'], false),
    userInvocable: isOn(header['user-invocable'], true),
    mode,
    forkContext,
    ...(mode === 'fork' ? present('agent', fields.text('agent')) : {}),
    ...present('model', fields.text('model')),
    ...present('effort', fields.word('effort', EFFORTS)),
    ...present('paths', paths),
    grants: Object.freeze(lists.grants),
    disallowed: Object.freeze(lists.disallowed),
    restrict: Object.freeze(lists.restrict),
    shell: readShell(header['shell'], () => fields.word('shell', SHELLS, 'commands in the body do not run')),
    hasHooks: header['hooks'] !== undefined && header['hooks'] !== null,
    trusted: !isForeignLayer(entry.source.layer) || context.trusted(entry.source),
    ...present('license', fields.text('license')),
    ...present('compatibility', fields.text('compatibility')),
    ...present('metadata', fields.map('metadata')),
    file,
    folder: folderOf(file),
  })
  diagnostics.push(...withoutEffect(entry))
  if (!skill.modelInvocable && !skill.userInvocable) diagnostics.push(unreachable(entry))
  return { value: skill, diagnostics }
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']
const SHELLS = ['bash', 'sh', 'powershell'] as const

/** Another shell would read the commands of the body in another way than they are meant. */
function readShell(written: unknown, read: () => (typeof SHELLS)[number] | undefined): Skill['shell'] {
  return written === undefined || written === null ? 'bash' : (read() ?? 'unknown')
}

function present<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: T }
}

function limited(entry: Located<SkillHeader>, field: string): Diagnostic {
  const pointer = joinPointer('', field)
  const message = `\`${field}\` leaves open whether the skill is a fork, whose tool list is a limit; so it is not loaded.`
  const hint = 'Write `mode: inline` or `mode: fork`.'
  return report.error('skills.mode.limited', entry.at(pointer), message, { entry: entry.id, pointer, hint })
}

function withoutEffect(entry: Located<SkillHeader>): readonly Diagnostic[] {
  return Object.keys(entry.value).flatMap((field) => {
    const instead = Object.hasOwn(WITHOUT_EFFECT, field) ? WITHOUT_EFFECT[field] : undefined
    if (instead === undefined || !isOn(entry.value[field], false)) return []
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
  const ignored = (field: string, expected: string, instead = 'it is left out') => {
    const value = entry.value[field]
    if (value === undefined || value === null) return
    diagnostics.push(
      report.warning(
        'skills.field.ignored',
        entry.at(joinPointer('', field)),
        `\`${field}\` is ${describe(value)}, not ${expected}; ${instead}.`,
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
    word<W extends string>(field: string, known: readonly W[], instead?: string): W | undefined {
      const found = known.find((each) => each === entry.value[field])
      if (found === undefined) ignored(field, `one of ${known.join(', ')}`, instead)
      return found
    },
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
