import { createReporter, type Diagnostic, type FileSource, type HostPorts, sortDiagnostics } from '@ext/kernel'
import { samenessOfNames } from '@ext/kernel/match'
import { diagnosticCodes } from '../codes.js'
import { readEntryName } from '../config/entry.js'
import { permissionPipeline } from '../config/pipeline.js'
import { foreignFormat } from './formats.js'
import { type Carried, moveAnchor, toYaml } from './native.js'

const report = createReporter(diagnosticCodes)

/** What is wrong with a rule that is a text at least. */
const RULE_FAULTS: readonly string[] = ['permission.rule.malformed', 'permission.rule.not-usable']

export interface ImportOptions {
  /** Absolute path of a Claude Code settings file. */
  readonly file: string
  readonly ports: Pick<HostPorts, 'files' | 'home' | 'platform'>
}

export interface ImportResult {
  /** A `permissions` section in YAML, for a `.ext/config.yaml`. Absent when there is nothing to import. */
  readonly yaml?: string
  /** How many rules are in it. */
  readonly rules: number
  /** What could not be carried over, or does not work as it is written, each with its place. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Turns the permissions of a Claude Code settings file into the native form, with the same meaning: paths that start at
 * the settings file are rewritten where the native file lies elsewhere. A deny or ask rule that can't be used is kept as
 * it is, for without it more would run. Never rejects for anything a file can hold.
 */
export async function importPermissions({ file, ports }: ImportOptions): Promise<ImportResult> {
  const folder = file.slice(0, file.lastIndexOf('/'))
  const ofUser = folder === `${ports.home}/.claude`
  const source: FileSource = {
    kind: 'file',
    layer: ofUser ? 'user' : 'project',
    dialect: 'claude-settings',
    path: file,
  }
  const read = await ports.files.readText(file)
  if (read.failure)
    return nothing(fault(source, `The file can't be read: ${read.message}`, 'Name a file that can be read.'))
  const foreign = await foreignFormat(read.text)
  if (foreign !== undefined) {
    const hint = 'Rules in this form can not be imported yet. Write them by hand in `.ext/config.yaml`.'
    return nothing(fault(source, `This is ${foreign}.`, hint))
  }

  const snapshot = await permissionPipeline.load(
    [source],
    { cwd: folder, home: ports.home, ...samenessOfNames(ports.platform), tools: {} },
    { files: ports.files, approved: () => true },
  )
  const move = (text: string) => moveAnchor(text, { folder, home: ports.home })
  const carried: Carried = { rules: { allow: [], ask: [], deny: [] }, directories: [] }
  const isRuleText = (id: string) =>
    snapshot.diagnostics.some(({ code, entry }) => entry === id && RULE_FAULTS.includes(code))
  for (const { id, verdict, name } of snapshot.records) {
    const rule = readEntryName(name)
    if (!rule || (verdict === 'broken' && (rule.effect === 'allow' || !isRuleText(id)))) continue
    carried.rules[rule.effect].push(move(rule.text))
  }
  for (const { value } of snapshot.entries) {
    if (value.kind === 'mode') carried.mode = value.mode
    if (value.kind === 'no-bypass') carried.noBypass = true
    if (value.kind === 'directory') carried.directories.push(value.path)
  }
  const rules = Object.values(carried.rules).flat().length
  const { mode, noBypass, directories } = carried
  const empty = rules === 0 && mode === undefined && noBypass === undefined && directories.length === 0
  const none =
    empty && snapshot.diagnostics.length === 0
      ? [fault(source, 'The file holds no permissions, so there is nothing to import.', 'Name another settings file.')]
      : []
  return {
    ...(empty ? {} : { yaml: toYaml(carried, file) }),
    rules,
    diagnostics: sortDiagnostics([...snapshot.diagnostics, ...none]),
  }
}

function nothing(diagnostic: Diagnostic): ImportResult {
  return { rules: 0, diagnostics: [diagnostic] }
}

function fault({ layer, path }: FileSource, message: string, hint: string): Diagnostic {
  return report.error('permission.import.format', { layer, file: path, line: 1, column: 1 }, message, {
    expected: ['a settings file of Claude Code: JSON with `permissions`'],
    hint,
  })
}
