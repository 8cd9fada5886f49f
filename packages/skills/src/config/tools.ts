import { createReporter, describe, isMap, joinPointer } from '@ext/kernel'
import type { Diagnostic, Located } from '@ext/kernel/types'
import type { RuleEffect } from '@ext/permission/rule'
import { diagnosticCodes } from '../codes.js'
import { folderOf } from '../find/paths.js'
import type { SkillMode, ToolLimit, ToolRule } from '../types.js'
import type { CompileContext } from './context.js'
import { isUnusualSpelling, misspeltToolField, type ToolField, toolFieldOf } from './fields.js'
import type { SkillHeader } from './header.js'
import { isKnownTool, suggestTool } from './known-tools.js'
import { forks } from './mode.js'
import { splitTools, type ToolWord } from './tool-list.js'

const report = createReporter(diagnosticCodes)

export interface ToolLists {
  readonly grants: readonly ToolRule[]
  readonly disallowed: readonly ToolRule[]
  readonly restrict: readonly ToolLimit[]
}

/** A tool list as it is written, in whatever spelling. */
interface WrittenList {
  readonly means: ToolField
  readonly field: string
  readonly pointer: string
}

/**
 * Reads the tool lists of a header. An error among the diagnostics: something limits the skill and can't be understood.
 * What only grants costs itself.
 */
export function readTools(
  entry: Located<SkillHeader>,
  mode: SkillMode,
  context: CompileContext,
): { readonly lists: ToolLists; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const written = findLists(entry, mode, diagnostics)
  if (written.length === 0) return { lists: NO_LISTS, diagnostics }
  const grants: ToolRule[] = []
  const disallowed: ToolRule[] = []
  const restrict: ToolLimit[] = []
  for (const list of written) {
    const { means, field } = list
    const limits = means !== 'allowed-tools' || mode === 'fork'
    const rules = readList(entry, list, { limits, effect: means === 'disallowed-tools' ? 'deny' : 'allow' }, context)
    diagnostics.push(...rules.diagnostics)
    if (!rules.value) continue
    if (means === 'allowed-tools') grants.push(...rules.value.filter(({ rule }) => rule.text !== ALL))
    if (means === 'disallowed-tools') disallowed.push(...rules.value)
    else if (limits && !rules.value.some(({ rule }) => rule.text === ALL)) {
      restrict.push(Object.freeze({ field, rules: Object.freeze(rules.value) }))
    }
  }
  return { lists: { grants, disallowed, restrict }, diagnostics }
}

const NO_LISTS: ToolLists = Object.freeze({
  grants: Object.freeze([]),
  disallowed: Object.freeze([]),
  restrict: Object.freeze([]),
})

/** Whether a header has a tool list. */
export function namesTools(header: Readonly<Record<string, unknown>>): boolean {
  for (const field in header) if (toolFieldOf(field) !== undefined) return true
  return false
}

const ALL = '*'
/** As a limit it limits nothing. */
const EVERYTHING: ReadRule = { rule: Object.freeze({ text: ALL, tool: ALL }) }

function findLists(entry: Located<SkillHeader>, mode: SkillMode, diagnostics: Diagnostic[]): readonly WrittenList[] {
  const lists = new Map<ToolField, WrittenList>()
  const twice = new Set<ToolField>()
  for (const field of Object.keys(entry.value)) {
    if (mergesLimits(field, entry.value)) diagnostics.push(merged(entry))
    const misspelt = misspeltToolField(field)
    const means = toolFieldOf(field)
    if (!misspelt && !means) continue
    const pointer = joinPointer('', field)
    const details = { entry: entry.id, pointer }
    if (misspelt && (misspelt !== 'allowed-tools' || mode === 'fork')) {
      const message = `\`${field}\` looks as if it limits the tools of the skill, and nothing reads it; so the skill is not loaded.`
      const hint = `Did you mean \`${misspelt}\`?`
      diagnostics.push(
        report.error('skills.restriction.misspelt', entry.at(pointer, 'key'), message, { ...details, hint }),
      )
    }
    if (!means) continue
    const other = lists.get(means)
    if (other) {
      twice.add(means)
      const limits = means !== 'allowed-tools' || mode === 'fork'
      const instead = limits ? 'so the skill is not loaded' : 'so no tool is approved in advance'
      diagnostics.push(
        report[limits ? 'error' : 'warning'](
          'skills.tools.twice',
          entry.at(pointer, 'key'),
          `\`${other.field}\` and \`${field}\` are the same list, and nobody can say which one counts; ${instead}.`,
          {
            ...details,
            hint: `Keep one of them, as \`${means}\`.`,
            related: [{ message: 'the other one', source: entry.at(other.pointer, 'key') }],
          },
        ),
      )
    } else if (isUnusualSpelling(field)) {
      const message = `\`${field}\` is read as \`${means}\`; other programs do not know it.`
      const hint = `Write \`${means}\`.`
      diagnostics.push(report.warning('skills.field.spelling', entry.at(pointer, 'key'), message, { ...details, hint }))
    }
    lists.set(means, { means, field, pointer })
  }
  return [...lists.values()].filter(({ means }) => !twice.has(means))
}

/** What other readers of YAML take for the fields of another map. */
const MERGE = '<<'

/** Whether a field brings tool lists or a fork into a header for those who merge maps. */
export function mergesLimits(field: string, header: Readonly<Record<string, unknown>>): boolean {
  if (field !== MERGE) return false
  const limits = (inner: string) => (toolFieldOf(inner) ?? misspeltToolField(inner)) !== undefined
  return [header[field]].flat().some((map) => isMap(map) && (forks(map) || Object.keys(map).some(limits)))
}

function merged(entry: Located<SkillHeader>): Diagnostic {
  const pointer = joinPointer('', MERGE)
  const message = `\`${MERGE}\` brings in what limits the tools of the skill, and fields are not merged here; so the skill is not loaded.`
  const details = { entry: entry.id, pointer, hint: 'Write the fields themselves into the header.' }
  return report.error('skills.restriction.unreadable', entry.at(pointer, 'key'), message, details)
}

interface ListUse {
  /** It takes something away, so it has to be understood. */
  readonly limits: boolean
  /** In which direction its rules are read. */
  readonly effect: RuleEffect
}

function readList(
  entry: Located<SkillHeader>,
  { field, pointer }: WrittenList,
  { limits, effect }: ListUse,
  context: CompileContext,
): { readonly value?: readonly ToolRule[]; readonly diagnostics: readonly Diagnostic[] } {
  const value = entry.value[field]
  const unreadable = (problem: string, hint: string, at = pointer): Diagnostic => {
    const found = `\`${field}\` is ${describe(value)}, and can't be read: ${problem}`
    const details = { entry: entry.id, pointer: at, hint }
    return limits
      ? report.error('skills.restriction.unreadable', entry.at(at), `${found}; so the skill is not loaded.`, details)
      : report.warning('skills.tools.unreadable', entry.at(at), `${found}; so no tool is approved in advance.`, details)
  }
  const split = splitTools(value)
  if (!split.words) return { diagnostics: [unreadable(split.problem, split.hint)] }
  const diagnostics: Diagnostic[] = []
  const rules: ToolRule[] = []
  for (const word of split.words) {
    const at = word.item === undefined ? pointer : joinPointer(pointer, word.item)
    const everything = limits && word.text === ALL && effect === 'allow'
    const read = everything ? EVERYTHING : readRule(entry, word, effect, context)
    if (read.problem === undefined) rules.push(Object.freeze({ rule: read.rule, pointer: at }))
    else diagnostics.push(unreadable(`${JSON.stringify(word.text)}: ${read.problem}`, read.hint, at))
  }
  if (diagnostics.length > 0) return { diagnostics }
  return { value: rules, diagnostics: unknownTools(entry, rules, context) }
}

type ReadRule =
  | { readonly rule: ToolRule['rule']; readonly problem?: undefined }
  | { readonly problem: string; readonly hint: string }

function readRule(
  entry: Located<SkillHeader>,
  { text }: ToolWord,
  effect: RuleEffect,
  { language, projectDir, home, ignoreCase }: CompileContext,
): ReadRule {
  const folders = { SKILL_DIR: folderOf(entry.source.file ?? ''), PROJECT_DIR: projectDir }
  const filled = fillFolders(text, folders)
  if (filled === undefined) {
    return {
      problem: 'the folder that it names holds a character that would mean something else in a rule',
      hint: 'Rename the folder, with letters, digits and hyphens alone, or do without the placeholder.',
    }
  }
  const parsed = language.parse(filled)
  if (!parsed.rule) return parsed
  const anchors = { cwd: projectDir, home, sourceDir: projectDir, ignoreCase }
  const { problem } = language.compile(parsed.rule, { effect, anchors, tools: {} })
  return problem ?? { rule: Object.freeze(parsed.rule) }
}

/** `${CLAUDE_SKILL_DIR}/check.sh`: the folder stands for itself and for nothing more. */
function fillFolders(text: string, folders: Readonly<Record<string, string>>): string | undefined {
  let unsafe = false
  const filled = text.replace(/\$\{(?:CLAUDE_)?(SKILL_DIR|PROJECT_DIR)\}/g, (_, name: string) => {
    const folder = folders[name] ?? ''
    unsafe ||= !/^[\p{L}\p{N}\p{M}/._+@-]+$/u.test(folder)
    return folder
  })
  return unsafe ? undefined : filled
}

function unknownTools(
  entry: Located<SkillHeader>,
  rules: readonly ToolRule[],
  { knownTools }: CompileContext,
): readonly Diagnostic[] {
  const own = knownTools()
  if (!own) return []
  return rules
    .filter(({ rule }) => !isKnownTool(rule.tool, own))
    .map(({ rule, pointer }) => {
      const meant = suggestTool(rule.tool, own)
      return report.warning('skills.tools.unknown', entry.at(pointer), `There is no tool \`${rule.tool}\` here.`, {
        entry: entry.id,
        pointer,
        hint: meant === undefined ? 'Check the spelling, or add what brings the tool.' : `Did you mean \`${meant}\`?`,
      })
    })
}
