import {
  createReporter,
  definePipeline,
  describe,
  type Located,
  type Outcome,
  type Pipeline,
  suggest,
} from '@ext/kernel'
import type { Behavior, ToolTable } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { compileRule } from '../rule/compile.js'
import { parseRule, type RuleProblem } from '../rule/parse.js'
import { anchorFolder } from '../rule/path.js'
import { type CompiledEntry, entryName, MODES, type PermissionEntry, type PermissionInput } from './entry.js'
import { readers } from './read.js'

const report = createReporter(diagnosticCodes)

export interface RuleHost {
  readonly cwd: string
  readonly home: string
  readonly ignoreCase: boolean
  readonly ignoreForm: boolean
  readonly tools: ToolTable
}

export const permissionPipeline: Pipeline<PermissionEntry, CompiledEntry, RuleHost> = definePipeline<
  PermissionInput,
  PermissionEntry,
  CompiledEntry,
  RuleHost
>({
  axis: 'permissions',
  readers,
  validate,
  identity: ({ value }) => (value.kind === 'mode' ? `mode ${value.mode}` : entryName(value.effect, value.text)),
  merge: 'append',
  // What only makes things stricter needs nobody's consent.
  needsConsent: (entry) =>
    entry.kind === 'rule' ? entry.effect === 'allow' : entry.mode !== 'plan' && entry.mode !== 'dontAsk',
  compile,
})

function validate(input: Located<PermissionInput>): Outcome<PermissionEntry> {
  const { value } = input
  if (value.kind === 'rule') return { value, diagnostics: [] }
  const mode = MODES.find((each) => each === value.mode)
  if (mode) return { value: { kind: 'mode', mode }, diagnostics: [] }
  const typo = typeof value.mode === 'string' ? suggest(value.mode, MODES) : undefined
  return {
    diagnostics: [
      report.error('permission.mode.unknown', input.at(), `The mode is ${describe(value.mode)}.`, {
        entry: input.id,
        pointer: input.pointer,
        expected: MODES,
        hint: typo ? `Did you mean \`${typo}\`?` : 'Use one of these modes; until then it is `default`.',
      }),
    ],
  }
}

function compile(entry: Located<PermissionEntry>, host: RuleHost): Outcome<CompiledEntry> {
  const { value } = entry
  if (value.kind === 'mode') return { value, diagnostics: [] }
  const { effect } = value
  const parsed = parseRule(value.text)
  if (!parsed.rule) return { diagnostics: [broken(entry, effect, value.text, 'permission.rule.malformed', parsed)] }
  const { rule } = parsed
  const sourceDir = anchorFolder(entry.source) ?? host.cwd
  const compileFor = (cwd: string) =>
    compileRule(rule, {
      effect,
      anchors: { cwd, home: host.home, sourceDir, ignoreCase: host.ignoreCase, ignoreForm: host.ignoreForm },
      tools: host.tools,
    })
  const here = compileFor(host.cwd)
  const { problem } = here
  if (problem) return { diagnostics: [broken(entry, effect, value.text, 'permission.rule.not-usable', problem)] }
  const compiledFor = (cwd: string) => (cwd === host.cwd ? here : compileFor(cwd))
  return { value: { kind: 'rule', effect, rule, compiledFor }, diagnostics: [] }
}

function broken(
  entry: Located<PermissionEntry>,
  effect: Behavior,
  text: string,
  code: 'permission.rule.malformed' | 'permission.rule.not-usable',
  { problem, hint }: RuleProblem,
) {
  const consequence =
    effect === 'allow' ? 'it allows nothing' : 'until it is fixed, what it may be meant for has to be asked'
  return report.error(code, entry.at(), `The ${effect} rule \`${text}\` can't be used: ${problem}; ${consequence}.`, {
    entry: entry.id,
    pointer: entry.pointer,
    hint,
  })
}
