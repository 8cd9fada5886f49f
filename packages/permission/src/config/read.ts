import {
  type BrokenEntry,
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  describe,
  documentReader,
  type FoundEntries,
  isMap,
  joinPointer,
  type Located,
  type Reader,
  suggest,
  valueAt,
  wrongShape,
} from '@ext/kernel'
import type { Behavior } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { EFFECTS, entryName, type PermissionInput } from './entry.js'

const report = createReporter(diagnosticCodes)

const SECTION = '/permissions'

interface Dialect {
  readonly name: string
  readonly modeKey: string
  /** Keys that mean something elsewhere, as pointers, with what their having no effect leads to. */
  readonly notUsed: Readonly<Record<string, string>>
}

const DIALECTS: readonly Dialect[] = [
  {
    name: 'ext',
    modeKey: 'mode',
    notUsed: {
      '/permissions/additionalDirectories': 'Files outside the working folder need rules of their own.',
      '/permissions/rules': 'Write the rules as texts in `allow`, `ask` and `deny`.',
    },
  },
  {
    name: 'claude-settings',
    modeKey: 'defaultMode',
    notUsed: {
      '/permissions/additionalDirectories': 'Files outside the working folder need rules of their own.',
      '/permissions/disableBypassPermissionsMode':
        'Nothing keeps a session from that mode but the program that starts it.',
      '/permissions/disableAutoMode': 'There is no such mode here.',
      '/allowManagedPermissionRulesOnly': 'The rules of all layers count.',
    },
  },
]

export const readers: readonly Reader<PermissionInput>[] = DIALECTS.map((dialect) =>
  documentReader(dialect.name, (document) => readSection(document, dialect)),
)

function readSection(document: ConfigDocument, dialect: Dialect): FoundEntries<PermissionInput> {
  const section = valueAt(document.value, SECTION)
  const notUsed = Object.entries(dialect.notUsed).flatMap(([pointer, consequence]) =>
    valueAt(document.value, pointer) === undefined ? [] : [keyNotUsed(document, pointer, consequence)],
  )
  if (section === undefined || section === null) return { entries: [], diagnostics: notUsed }
  if (!isMap(section)) return unreadable(document, SECTION, 'deny', 'a map of lists', section)

  const lists = EFFECTS.map((effect) => readList(document, effect, section[effect]))
  const mode = section[dialect.modeKey]
  const modePointer = joinPointer(SECTION, dialect.modeKey)
  return {
    entries: [
      ...lists.flatMap((list) => list.entries),
      ...(mode === undefined || mode === null
        ? []
        : [document.located<PermissionInput>(modePointer, { kind: 'mode', mode })]),
    ],
    broken: lists.flatMap((list) => list.broken ?? []),
    diagnostics: [
      ...notUsed,
      ...lists.flatMap((list) => list.diagnostics ?? []),
      ...unknownKeys(document, Object.keys(section), dialect),
    ],
  }
}

function readList(document: ConfigDocument, effect: Behavior, list: unknown): FoundEntries<PermissionInput> {
  if (list === undefined || list === null) return { entries: [] }
  const pointer = joinPointer(SECTION, effect)
  if (!Array.isArray(list)) return unreadable(document, pointer, effect, 'a list of rules', list)
  const entries: Located<PermissionInput>[] = []
  const broken: BrokenEntry[] = []
  const diagnostics: Diagnostic[] = []
  for (const [index, item] of list.entries()) {
    const at = joinPointer(pointer, index)
    if (typeof item === 'string') {
      entries.push(document.located<PermissionInput>(at, { kind: 'rule', effect, text: item }))
      continue
    }
    const entry = brokenRule(document, at, effect, item)
    broken.push(entry)
    diagnostics.push(
      report.error('permission.rule.not-text', entry.source, `This ${effect} rule is ${describe(item)}, not a text.`, {
        entry: entry.id,
        pointer: at,
        expected: ['a text'],
        hint: 'Write the rule as a text, in quotes where the file format needs them.',
      }),
    )
  }
  return { entries, broken, diagnostics }
}

/** A part that may have held rules: recorded as a broken rule, so that what it may have denied is at least asked. */
function unreadable(
  document: ConfigDocument,
  pointer: string,
  effect: Behavior,
  expected: string,
  found: unknown,
): FoundEntries<PermissionInput> {
  const entry = brokenRule(document, pointer, effect, found)
  const diagnostic = { ...wrongShape(document, pointer, expected, found), entry: entry.id }
  return { entries: [], broken: [entry], diagnostics: [diagnostic] }
}

function brokenRule(document: ConfigDocument, pointer: string, effect: Behavior, found: unknown): BrokenEntry {
  const { id } = document.located(pointer, found)
  return { id, name: entryName(effect, describe(found)), source: document.at(pointer) }
}

function keyNotUsed(document: ConfigDocument, pointer: string, consequence: string): Diagnostic {
  const key = pointer.slice(pointer.lastIndexOf('/') + 1)
  return report.warning('permission.key.not-used', document.at(pointer, 'key'), `\`${key}\` has no effect here yet.`, {
    pointer,
    hint: consequence,
  })
}

function unknownKeys(document: ConfigDocument, keys: readonly string[], dialect: Dialect): readonly Diagnostic[] {
  const known = [...EFFECTS, dialect.modeKey]
  return keys.flatMap((key) => {
    const pointer = joinPointer(SECTION, key)
    if (known.includes(key) || Object.hasOwn(dialect.notUsed, pointer)) return []
    const typo = suggest(key, known)
    return report.warning(
      'permission.key.unknown',
      document.at(pointer, 'key'),
      `\`${key}\` is not known, so nothing reads it.`,
      {
        pointer,
        expected: known,
        hint: typo ? `Did you mean \`${typo}\`?` : 'Remove it, or check its spelling.',
      },
    )
  })
}
