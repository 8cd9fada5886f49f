import { createReporter, describe, hasErrors, isForeignLayer, isMap, joinPointer } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { Diagnostic, Located, Outcome, SourceRef } from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import type { CompileContext } from './config/context.js'
import { isUserOnlySpelling, USER_ONLY, WITHOUT_EFFECT } from './config/fields.js'
import { nameOf, type SkillHeader, saysMore } from './config/header.js'
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
  if (!saysMore(header)) return { value: Object.freeze(plainSkill(entry, context)), diagnostics: NO_DIAGNOSTICS }
  const diagnostics: Diagnostic[] = []
  // Decided here and not in validation, so that a skill which is refused still shadows the farther ones of its name:
  // nobody gets in its place what may do more.
  const { mode, forkContext, unclear, diagnostics: ofMode } = readMode(entry)
  const { lists, diagnostics: ofTools } = readTools(entry, mode, context)
  const isLimited = unclear !== undefined && namesTools(header)
  // That it runs in the conversation is not so then.
  diagnostics.push(...(isLimited ? [limited(entry, unclear, ofMode)] : ofMode), ...ofTools)
  if (hasErrors(diagnostics)) return { diagnostics }

  const fields = new FieldReader(entry, diagnostics)
  const skill = plainSkill(entry, context)
  skill.argumentNames = fields.names('arguments')
  skill.modelInvocable = !isOn(header[USER_ONLY], false) && !fields.meansUserOnly()
  skill.userInvocable = isOn(header['user-invocable'], true)
  skill.mode = mode
  skill.forkContext = forkContext
  skill.grants = Object.freeze(lists.grants)
  skill.disallowed = Object.freeze(lists.disallowed)
  skill.restrict = Object.freeze(lists.restrict)
  skill.shell = readShell(header['shell'], () => fields.word('shell', SHELLS, 'commands in the body do not run'))
  skill.hasHooks = isThere(header['hooks'])
  addOptional(skill, fields)
  if (isThere(header['paths'])) {
    const { paths, diagnostics: ofPaths } = readPaths(entry, context)
    if (paths) skill.paths = paths
    diagnostics.push(...ofPaths)
  }
  diagnostics.push(...withoutEffect(entry))
  if (!skill.modelInvocable && !skill.userInvocable) diagnostics.push(unreachable(entry))
  return { value: Object.freeze(skill), diagnostics }
}

type Draft = { -readonly [K in keyof Skill]: Skill[K] }

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([])

/** What a skill is if its header says no more. */
function plainSkill(entry: Located<SkillHeader>, context: CompileContext): Draft {
  const { source } = entry
  const file = source.file ?? ''
  return {
    name: nameOf(entry),
    description: entry.value.description.trim(),
    argumentNames: NOTHING,
    modelInvocable: true,
    userInvocable: true,
    mode: 'inline',
    forkContext: 'none',
    grants: NOTHING,
    disallowed: NOTHING,
    restrict: NOTHING,
    shell: 'bash',
    hasHooks: false,
    trusted: isTrusted(source, context),
    file,
    folder: folderOf(file),
  }
}

/** Whether a skill may grant and run what it says. Others than the user's own are asked about. */
export function isTrusted(source: SourceRef, { trusted }: CompileContext): boolean {
  return !isForeignLayer(source.layer) || trusted(source)
}

const NOTHING: readonly never[] = Object.freeze([])

function addOptional(skill: Draft, fields: FieldReader): void {
  const whenToUse = fields.text('when_to_use')
  if (whenToUse !== undefined) skill.whenToUse = whenToUse
  const argumentHint = fields.hint('argument-hint')
  if (argumentHint !== undefined) skill.argumentHint = argumentHint
  const agent = skill.mode === 'fork' ? fields.text('agent') : undefined
  if (agent !== undefined) skill.agent = agent
  const model = fields.text('model')
  if (model !== undefined) skill.model = model
  const effort = fields.word('effort', EFFORTS)
  if (effort !== undefined) skill.effort = effort
  const license = fields.text('license')
  if (license !== undefined) skill.license = license
  const compatibility = fields.text('compatibility')
  if (compatibility !== undefined) skill.compatibility = compatibility
  const metadata = fields.map('metadata')
  if (metadata !== undefined) skill.metadata = metadata
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']
const SHELLS = ['bash', 'sh', 'powershell'] as const

/** Another shell would read the commands of the body in another way than they are meant. */
function readShell(written: unknown, read: () => (typeof SHELLS)[number] | undefined): Skill['shell'] {
  return written === undefined || written === null ? 'bash' : (read() ?? 'unknown')
}

function limited(entry: Located<SkillHeader>, field: string, ofMode: readonly Diagnostic[]): Diagnostic {
  const pointer = joinPointer('', field)
  const message = `\`${field}\` leaves open whether the skill is a fork, whose tool list is a limit; so it is not loaded.`
  const hint =
    ofMode.find(({ code }) => code === 'skills.mode.unknown')?.hint ?? 'Write `mode: inline` or `mode: fork`.'
  return report.error('skills.mode.limited', entry.at(pointer), message, { entry: entry.id, pointer, hint })
}

function withoutEffect(entry: Located<SkillHeader>): readonly Diagnostic[] {
  return IDLE_FIELDS.filter(([field]) => isOn(entry.value[field], false)).map(([field, instead]) => {
    const pointer = joinPointer('', field)
    const message = `\`${field}\` has no effect in this version: ${instead}.`
    const hint = 'Check that the skill does what it should without it.'
    const details = { entry: entry.id, pointer, hint }
    return report.warning('skills.field.not-supported', entry.at(pointer, 'key'), message, details)
  })
}

const IDLE_FIELDS = Object.entries(WITHOUT_EFFECT)

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

const NO: readonly unknown[] = [false, 0, 'false', 'no', 'off', null]

/** Reads fields that a skill can do without: of the wrong type, they are left out and reported. */
class FieldReader {
  readonly #entry: Located<SkillHeader>
  readonly #diagnostics: Diagnostic[]

  constructor(entry: Located<SkillHeader>, diagnostics: Diagnostic[]) {
    this.#entry = entry
    this.#diagnostics = diagnostics
  }

  /** The switch in another spelling keeps the model out as well: somebody wanted that. Only a clear no does not. */
  meansUserOnly(): boolean {
    const header = this.#entry.value
    const spellings = Object.keys(header).filter(isUserOnlySpelling)
    for (const field of spellings) {
      const pointer = joinPointer('', field)
      const message = `\`${field}\` is read as \`${USER_ONLY}\`; other programs do not know it.`
      const details = { entry: this.#entry.id, pointer, hint: `Write \`${USER_ONLY}\`.` }
      this.#diagnostics.push(report.warning('skills.field.spelling', this.#entry.at(pointer, 'key'), message, details))
    }
    return spellings.some((field) => !NO.includes(header[field]))
  }

  text(field: string): string | undefined {
    const value = this.#entry.value[field]
    if (typeof value === 'string') return value.trim() || undefined
    this.#ignored(field, 'a text')
    return undefined
  }

  word<W extends string>(field: string, known: readonly W[], instead?: string): W | undefined {
    const value = this.#entry.value[field]
    const found = value === undefined ? undefined : known.find((each) => each === value)
    if (found === undefined) this.#ignored(field, `one of ${known.join(', ')}`, instead)
    return found
  }

  /** `[environment]` without quotes is a list for YAML; it is put back together. */
  hint(field: string): string | undefined {
    const value = this.#entry.value[field]
    const isFlat = Array.isArray(value) && value.every((item) => typeof item !== 'object')
    return isFlat ? `[${value.join(', ')}]` : this.text(field)
  }

  map(field: string): JsonObject | undefined {
    const value = this.#entry.value[field]
    if (isMap(value)) return deepFreeze(value as JsonObject)
    this.#ignored(field, 'a map')
    return undefined
  }

  names(field: string): readonly string[] {
    const value = this.#entry.value[field]
    if (value === undefined) return NOTHING
    const names = typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value
    if (!Array.isArray(names)) {
      this.#ignored(field, 'a list of names')
      return NOTHING
    }
    const places = new Map<unknown, number>()
    for (const [index, name] of names.entries()) {
      const first = places.get(name)
      const isTwice = first !== undefined
      if (!isTwice) places.set(name, index)
      if (typeof name === 'string' && ARGUMENT_NAME.test(name) && !isTwice) continue
      const pointer = typeof value === 'string' ? joinPointer('', field) : joinPointer('', field, index)
      const message = isTwice
        ? `The argument ${JSON.stringify(name)} stands twice, and its name stands for $${first}.`
        : `An argument can't be called ${JSON.stringify(name)}.`
      const hint = isTwice
        ? `Give it another name; until then only $${index} stands for it.`
        : `Use letters, digits, _ and -, starting with a letter; until then only $${index} stands for it.`
      const details = { entry: this.#entry.id, pointer, hint }
      this.#diagnostics.push(report.warning('skills.arguments.name', this.#entry.at(pointer), message, details))
    }
    return Object.freeze(names.map((name) => (typeof name === 'string' ? name : '')))
  }

  #ignored(field: string, expected: string, instead = 'it is left out'): void {
    const value = this.#entry.value[field]
    if (value === undefined || value === null) return
    const pointer = joinPointer('', field)
    const message = `\`${field}\` is ${describe(value)}, not ${expected}; ${instead}.`
    const details = { entry: this.#entry.id, pointer, expected: [expected], hint: `Write ${expected}.` }
    this.#diagnostics.push(report.warning('skills.field.ignored', this.#entry.at(pointer), message, details))
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
