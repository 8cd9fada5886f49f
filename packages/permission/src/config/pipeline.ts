import {
  createReporter,
  type Diagnostic,
  definePipeline,
  describe,
  type Located,
  type Outcome,
  type Pipeline,
  suggest,
} from '@ext/kernel'
import type { Behavior } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { compileRule } from '../rule/compile.js'
import { parseRule, type RuleProblem } from '../rule/parse.js'
import { anchorFolder } from '../rule/path.js'
import type { ReadingContext } from '../rule/reading.js'
import { type CompiledEntry, entryName, MODES, type PermissionEntry, type PermissionInput } from './entry.js'
import { readers } from './read.js'
import { runRuleTests } from './rule-tests.js'
import { ruleOfWritten } from './written.js'

const report = createReporter(diagnosticCodes)

/** Where rules are compiled for. */
export interface RuleHost extends Pick<ReadingContext, 'tools' | 'shell'> {
  readonly cwd: string
  readonly home: string
  readonly ignoreCase: boolean
  readonly ignoreForm: boolean
  /** Milliseconds since the epoch, for saying which rules have expired. */
  readonly now?: number
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
  identity: ({ value }) => nameOf(value),
  merge: 'append',
  needsConsent,
  compile,
})

function nameOf(entry: PermissionEntry): string {
  switch (entry.kind) {
    case 'rule':
      return entryName(entry.effect, entry.text)
    case 'mode':
      return `mode ${entry.mode}`
    case 'directory':
      return `directory ${entry.path}`
    case 'managed-only':
      return 'managed rules only'
    case 'no-bypass':
      return 'no mode bypassPermissions'
    case 'read-only-commands':
      return `read-only commands ${entry.run ? 'run' : 'are asked'}`
  }
}

/** What only makes things stricter needs nobody's consent. */
function needsConsent(entry: PermissionEntry): boolean {
  switch (entry.kind) {
    case 'rule':
      return entry.effect === 'allow'
    case 'mode':
      return entry.mode !== 'plan' && entry.mode !== 'dontAsk'
    case 'directory':
      return true
    case 'managed-only':
    case 'no-bypass':
      return false
    case 'read-only-commands':
      return entry.run
  }
}

function validate(input: Located<PermissionInput>): Outcome<PermissionEntry> {
  const { value } = input
  switch (value.kind) {
    case 'rule':
      return { value, diagnostics: [] }
    case 'mode':
      return validateMode(input, value.value)
    case 'directory':
      return typeof value.value === 'string' && value.value.trim() !== '' && !value.value.includes('\0')
        ? { value: { kind: 'directory', path: value.value }, diagnostics: [] }
        : refuse(input, 'permission.directory.not-usable', `The directory is ${describe(value.value)}.`, {
            expected: ['a path'],
            hint: 'Write a path: absolute, or relative to the working folder.',
          })
    case 'no-bypass':
      // Whoever writes true means the same.
      return value.value === 'disable' || value.value === true
        ? { value: { kind: 'no-bypass' }, diagnostics: [] }
        : refuse(input, 'permission.setting.not-usable', `The setting is ${describe(value.value)}.`, {
            expected: ['disable'],
            hint: 'Write "disable" to switch the mode off, or remove the setting.',
          })
    case 'managed-only':
    case 'read-only-commands':
      return validateSwitch(input, value.kind, value.value)
  }
}

function validateSwitch(
  input: Located<PermissionInput>,
  kind: 'managed-only' | 'read-only-commands',
  value: unknown,
): Outcome<PermissionEntry> {
  if (typeof value !== 'boolean') {
    return refuse(input, 'permission.setting.not-usable', `The setting is ${describe(value)}.`, {
      expected: ['true', 'false'],
      hint: 'Write true or false.',
    })
  }
  if (kind === 'read-only-commands') return { value: { kind, run: value }, diagnostics: [] }
  if (value && input.source.layer === 'managed') return { value: { kind }, diagnostics: [] }
  return refuse(input, 'permission.setting.not-usable', `It is ${value} in a ${input.source.layer} file.`, {
    hint: 'Only managed configuration can let nothing but managed rules count; leave it out elsewhere.',
  })
}

function validateMode(input: Located<PermissionInput>, value: unknown): Outcome<PermissionEntry> {
  const mode = MODES.find((each) => each === value)
  if (mode) return { value: { kind: 'mode', mode }, diagnostics: [] }
  const typo = typeof value === 'string' ? suggest(value, MODES) : undefined
  return refuse(input, 'permission.mode.unknown', `The mode is ${describe(value)}.`, {
    expected: MODES,
    hint: typo
      ? `Did you mean \`${typo}\`?`
      : 'Use one of these modes; until then the mode is that of the other files, or `default`.',
  })
}

function refuse(
  { at, id, pointer }: Located<unknown>,
  code: Parameters<typeof report.error>[0],
  message: string,
  details: { readonly hint: string; readonly expected?: readonly string[] },
): { readonly diagnostics: readonly Diagnostic[] } {
  return { diagnostics: [report.error(code, at(), message, { entry: id, pointer, ...details })] }
}

function compile(entry: Located<PermissionEntry>, host: RuleHost): Outcome<CompiledEntry> {
  const { value } = entry
  if (value.kind !== 'rule') return { value, diagnostics: [] }
  const { effect, text, written } = value
  const parsed = written ? { rule: ruleOfWritten(written) } : parseRule(text)
  if (!parsed.rule) return { diagnostics: [broken(entry, effect, text, 'permission.rule.malformed', parsed)] }
  const { rule } = parsed
  const { cwd: hostCwd, home, ignoreCase, ignoreForm, tools, shell } = host
  const sourceDir = anchorFolder(entry.source) ?? hostCwd
  const compileFor = (cwd: string) =>
    compileRule(rule, {
      effect,
      anchors: { cwd, home, sourceDir, ignoreCase, ignoreForm },
      tools,
      ...(shell ? { shell } : {}),
    })
  const here = compileFor(hostCwd)
  const { problem } = here
  if (problem) return { diagnostics: [broken(entry, effect, text, 'permission.rule.not-usable', problem)] }
  const { reason, expiresAt, tests } = written ?? {}
  const failed = tests ? runRuleTests(entry, here, tests) : []
  // An allow rule that says something else than its author thinks allows nothing; a deny rule better denies too much.
  if (effect === 'allow' && failed.length > 0) return { diagnostics: failed }
  const compiledFor = (cwd: string) => (cwd === hostCwd ? here : compileFor(cwd))
  return {
    value: {
      kind: 'rule',
      effect,
      rule,
      compiledFor,
      ...(reason === undefined ? {} : { reason }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
    diagnostics: [...failed, ...expired(entry, text, expiresAt, host)],
  }
}

function expired(
  entry: Located<PermissionEntry>,
  text: string,
  expiresAt: number | undefined,
  { now }: RuleHost,
): readonly Diagnostic[] {
  if (expiresAt === undefined || now === undefined || now < expiresAt) return []
  const message = `The allow rule \`${text}\` expired on ${new Date(expiresAt).toISOString()}; it allows nothing any more.`
  return [
    report.warning('permission.rule.expired', entry.at('/expires'), message, {
      entry: entry.id,
      pointer: `${entry.pointer}/expires`,
      hint: 'Remove it, or give it a later end.',
    }),
  ]
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
