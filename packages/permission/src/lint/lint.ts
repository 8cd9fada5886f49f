import { type Diagnostic, type FileRecord, type HostPorts, sortDiagnostics } from '@ext/kernel'
import { samenessOfNames } from '@ext/kernel/match'
import { permissionPipeline, type RuleHost } from '../config/pipeline.js'
import { KNOWN_TOOL_NAMES, OTHER_TOOL_NAMES } from '../rule/tools.js'
import type { PermissionOptions } from '../types.js'
import { wrongAnchor } from './checks/anchor.js'
import { tooBroad } from './checks/breadth.js'
import { type Check, faultAt, type LintContext } from './checks/check.js'
import { equivalents } from './checks/equivalents.js'
import { modeFaults } from './checks/mode.js'
import { neverConsulted, unknownTool } from './checks/names.js'
import { overlaps } from './checks/overlap.js'
import { blanks, compound, exactDeny, foreignPattern, misspeltSpecifier } from './checks/text.js'
import { lintRulesOf } from './rules.js'

/** What to look at: the same as an engine gets. */
export interface LintOptions extends Pick<PermissionOptions, 'layers' | 'tools' | 'cwd'> {
  readonly ports: Pick<HostPorts, 'files' | 'home' | 'platform'>
  /** Names of tools that the host has besides the well-known ones. Default: those of the tool table. */
  readonly knownTools?: readonly string[]
}

export interface LintReport {
  /** How many rules were looked at; those that can't be read are in `diagnostics` only. */
  readonly rules: number
  readonly files: readonly FileRecord[]
  /** Of loading and of lint, errors first, then by place. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The first fault of a rule is said; a rule that is wrong in one way is often wrong in others by the same cause. */
const CHECKS: readonly Check[] = [
  blanks,
  foreignPattern,
  compound,
  misspeltSpecifier,
  unknownTool,
  neverConsulted,
  wrongAnchor,
  tooBroad,
  exactDeny,
]

/**
 * Reads the layers as an engine would, with all of them approved, and says what is wrong with the rules. Bad
 * configuration never rejects. Rejects with `kernel.reader.unknown` when a source names an unknown dialect.
 */
export async function lintPermissions(options: LintOptions): Promise<LintReport> {
  const { layers, tools = {}, cwd, ports, knownTools = [] } = options
  const host: RuleHost = { cwd, home: ports.home, ...samenessOfNames(ports.platform), tools }
  const snapshot = await permissionPipeline.load(layers, host, { files: ports.files, approved: () => true })
  const context: LintContext = { host, knownTools: [...KNOWN_TOOL_NAMES, ...OTHER_TOOL_NAMES, ...knownTools] }
  const rules = lintRulesOf(snapshot.entries, host)
  const single = rules.flatMap((rule) => {
    const fault = firstOf(CHECKS, (check) => check(rule, context))
    return fault ? [faultAt(rule, fault)] : []
  })
  const faulty = new Set(single.map(({ entry }) => entry))
  const sound = rules.filter(({ id }) => !faulty.has(id))
  return {
    rules: rules.length,
    files: snapshot.files,
    diagnostics: sortDiagnostics([
      ...snapshot.diagnostics,
      ...single,
      ...overlaps(sound, context),
      ...equivalents(rules),
      ...modeFaults(snapshot.entries, rules),
    ]),
  }
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
