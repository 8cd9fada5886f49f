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
import type { Behavior, PermissionMode } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { EFFECTS, entryName, type PermissionInput } from './entry.js'
import { nameOfWritten, readWritten, ruleOfWritten } from './written.js'

const report = createReporter(diagnosticCodes)

const SECTION = '/permissions'

/** Switches the mode off that asks nothing, for all sessions. */
const NO_BYPASS = 'disableBypassPermissionsMode'

interface Dialect {
  readonly name: string
  readonly modeKey: string
  /** Other words for modes. */
  readonly modeNames: Readonly<Record<string, PermissionMode>>
  /** Pointer of the switch that lets only managed allow rules count. */
  readonly managedOnly: string
  /** Keys of the section that only this dialect has. */
  readonly own: readonly string[]
  /** Keys that mean something elsewhere, as pointers, with what their having no effect leads to. */
  readonly notUsed: Readonly<Record<string, string>>
}

const DIALECTS: readonly Dialect[] = [
  {
    name: 'ext',
    modeKey: 'mode',
    modeNames: {},
    managedOnly: '/permissions/managedRulesOnly',
    own: ['rules', 'managedRulesOnly', 'readOnlyCommands'],
    notUsed: {},
  },
  {
    name: 'claude-settings',
    modeKey: 'defaultMode',
    modeNames: { manual: 'default' },
    managedOnly: '/allowManagedPermissionRulesOnly',
    own: [],
    notUsed: {
      '/permissions/disableAutoMode': 'There is no such mode here.',
      '/permissions/blockReadsOutsideWorkingDirectories':
        'What lies outside is asked about, unless an allow rule or the mode lets it pass; a deny rule such as `Read(//**)` closes it.',
      '/permissions/blockWritesOutsideWorkingDirectories':
        'Writes outside are asked about in every mode but `bypassPermissions`; only a deny rule such as `Edit(//etc/**)` closes a place.',
      '/permissions/denyInsteadOfPrompting': 'Write `"defaultMode": "dontAsk"`, in which a question is a no.',
    },
  },
]

export const readers: readonly Reader<PermissionInput>[] = DIALECTS.map((dialect) =>
  documentReader(dialect.name, (document) => readSection(document, dialect)),
)

type Found = FoundEntries<PermissionInput>

function readSection(document: ConfigDocument, dialect: Dialect): Found {
  const section = valueAt(document.value, SECTION)
  const notUsed = Object.entries(dialect.notUsed).flatMap(([pointer, consequence]) =>
    valueAt(document.value, pointer) === undefined ? [] : [keyNotUsed(document, pointer, consequence)],
  )
  const managedOnly = readSetting(document, dialect.managedOnly, 'managed-only')
  if (section === undefined || section === null) return join([managedOnly, { entries: [], diagnostics: notUsed }])
  if (!isMap(section)) return unreadable(document, SECTION, 'deny', 'a map of lists', section)
  const inSection = (key: string) => joinPointer(SECTION, key)
  return join([
    ...EFFECTS.map((effect) => readList(document, effect, section[effect])),
    ...(dialect.own.includes('rules') ? [readRules(document, section['rules'])] : []),
    readDirectories(document, section['additionalDirectories']),
    readMode(document, inSection(dialect.modeKey), dialect),
    managedOnly,
    readSetting(document, inSection(NO_BYPASS), 'no-bypass'),
    ...(dialect.own.includes('readOnlyCommands')
      ? [readSetting(document, inSection('readOnlyCommands'), 'read-only-commands')]
      : []),
    { entries: [], diagnostics: [...notUsed, ...unknownKeys(document, Object.keys(section), dialect)] },
  ])
}

function join(parts: readonly Found[]): Found {
  return {
    entries: parts.flatMap(({ entries }) => entries),
    broken: parts.flatMap(({ broken = [] }) => broken),
    diagnostics: parts.flatMap(({ diagnostics = [] }) => diagnostics),
  }
}

function readSetting(
  document: ConfigDocument,
  pointer: string,
  kind: 'mode' | 'managed-only' | 'no-bypass' | 'read-only-commands',
): Found {
  const value = valueAt(document.value, pointer)
  if (value === undefined || value === null) return { entries: [] }
  return { entries: [document.located<PermissionInput>(pointer, { kind, value })] }
}

function readMode(document: ConfigDocument, pointer: string, { modeNames }: Dialect): Found {
  const value = valueAt(document.value, pointer)
  if (typeof value !== 'string' || !Object.hasOwn(modeNames, value)) return readSetting(document, pointer, 'mode')
  return { entries: [document.located<PermissionInput>(pointer, { kind: 'mode', value: modeNames[value] })] }
}

function readList(document: ConfigDocument, effect: Behavior, list: unknown): Found {
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
    const entry = brokenRule(document, at, entryName(effect, describe(item)), item)
    broken.push(entry)
    diagnostics.push(
      report.error('permission.rule.not-text', entry.source, `This ${effect} rule is ${describe(item)}, not a text.`, {
        entry: entry.id,
        pointer: at,
        expected: ['a text'],
        hint: 'Write the rule as a text, in quotes where the file format needs them, or as a map in `rules`.',
      }),
    )
  }
  return { entries, broken, diagnostics }
}

function readRules(document: ConfigDocument, list: unknown): Found {
  if (list === undefined || list === null) return { entries: [] }
  const pointer = joinPointer(SECTION, 'rules')
  if (!Array.isArray(list)) return unreadable(document, pointer, 'deny', 'a list of maps', list)
  const entries: Located<PermissionInput>[] = []
  const broken: BrokenEntry[] = []
  const diagnostics: Diagnostic[] = []
  for (const [index, item] of list.entries()) {
    const at = joinPointer(pointer, index)
    const read = readWritten(item)
    if (!read.fault) {
      const { effect, written } = read
      const { text } = ruleOfWritten(written)
      entries.push(document.located<PermissionInput>(at, { kind: 'rule', effect, text, written }))
      continue
    }
    const entry = brokenRule(document, at, brokenName(item), item)
    const { pointer: part, problem, expected } = read.fault
    broken.push(entry)
    diagnostics.push(
      report.error('permission.rule.shape', document.at(at + part), `This rule can't be used: ${problem}.`, {
        entry: entry.id,
        pointer: at + part,
        ...(expected ? { expected } : {}),
        hint: 'Write `effect`, `tool`, and one of `command`, `path`, `domain`, `regex` and `params`.',
      }),
    )
  }
  return { entries, broken, diagnostics }
}

function readDirectories(document: ConfigDocument, list: unknown): Found {
  if (list === undefined || list === null) return { entries: [] }
  const pointer = joinPointer(SECTION, 'additionalDirectories')
  if (!Array.isArray(list)) {
    return { entries: [], diagnostics: [wrongShape(document, pointer, 'a list of folders', list)] }
  }
  return {
    entries: list.map((value, index) =>
      document.located<PermissionInput>(joinPointer(pointer, index), { kind: 'directory', value }),
    ),
  }
}

/** A part that may have held rules: recorded as a broken rule, so that what it may have denied is at least asked. */
function unreadable(
  document: ConfigDocument,
  pointer: string,
  effect: Behavior,
  expected: string,
  found: unknown,
): Found {
  const entry = brokenRule(document, pointer, entryName(effect, describe(found)), found)
  const diagnostic = { ...wrongShape(document, pointer, expected, found), entry: entry.id }
  return { entries: [], broken: [entry], diagnostics: [diagnostic] }
}

function brokenRule(document: ConfigDocument, pointer: string, name: string, found: unknown): BrokenEntry {
  const { id } = document.located(pointer, found)
  return { id, name, source: document.at(pointer) }
}

function keyNotUsed(document: ConfigDocument, pointer: string, consequence: string): Diagnostic {
  const key = pointer.slice(pointer.lastIndexOf('/') + 1)
  return report.warning('permission.key.not-used', document.at(pointer, 'key'), `\`${key}\` has no effect here yet.`, {
    pointer,
    hint: consequence,
  })
}

function unknownKeys(document: ConfigDocument, keys: readonly string[], dialect: Dialect): readonly Diagnostic[] {
  const known = [...EFFECTS, dialect.modeKey, 'additionalDirectories', NO_BYPASS, ...dialect.own]
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

/** How a broken item of `rules` is called in records: with the effect that it may have had. */
function brokenName(value: unknown): string {
  const written = isMap(value) ? EFFECTS.find((effect) => effect === value['effect']) : undefined
  return entryName(written ?? 'deny', nameOfWritten(value))
}
