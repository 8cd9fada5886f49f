import { createReporter, type Diagnostic, describe, isMap, type Source, suggest } from '@ext/kernel'
import type { Behavior, JsonObject, PermissionMode } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { EFFECTS, MODES } from '../config/entry.js'
import type { ShellContext } from '../shell/index.js'

const report = createReporter(diagnosticCodes)

/** One call, the rules that hold, and the verdicts that are right. */
export interface ConformanceRow {
  readonly id: string
  readonly rules: Readonly<Record<Behavior, readonly string[]>>
  readonly tool: string
  readonly input: JsonObject
  readonly expected: Behavior
  /** All verdicts that can be defended. */
  readonly accept: readonly Behavior[]
  readonly context: ConformanceContext
}

/** Where the call is made. */
export interface ConformanceContext {
  /** Default `/repo`. */
  readonly cwd?: string
  /** Default `/home/u`. */
  readonly home?: string
  /** Default `default`. */
  readonly mode?: PermissionMode
  /** As Node names it. Default `linux`. */
  readonly platform?: string
  /** What runs the command lines. Default `bash`. */
  readonly shell?: ShellContext['shell']
  /** Paths that are links, with what they point to. Default: none. */
  readonly symlinks?: Readonly<Record<string, string>>
  /** Where a tool of a server comes from, if its name alone does not say. */
  readonly mcpServer?: string
  readonly mcpTool?: string
}

/** The rows that could be read, and what is wrong with the others. */
export interface CorpusRead {
  readonly rows: readonly ConformanceRow[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Reads a corpus, one JSON object a line; empty lines are skipped. A line that is no row is a diagnostic and costs only
 * itself. Fields that are not known are left out, with a word on those that look like one that is missing. A text without
 * any line is a diagnostic, too: a score of nothing would look like a good one.
 * @param file what diagnostics call the text
 */
export function readCorpus(text: string, file: string): CorpusRead {
  const rows: ConformanceRow[] = []
  const diagnostics: Diagnostic[] = []
  const ids = new Map<string, Source>()
  // Not by other line ends: a command line may hold them.
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const source: Source = { layer: 'command-line', file, line: index + 1, column: 1 }
    const read = readRow(line)
    if (!read.row) {
      diagnostics.push(
        report.error('permission.corpus.row', source, `This line is no row of a corpus: ${read.problem}.`, {
          hint: 'Write one JSON object a line: {"id", "rules": {"allow", "ask", "deny"}, "tool", "input", "expected", "accept"}.',
        }),
      )
      continue
    }
    const { id } = read.row
    const first = ids.get(id)
    if (first) {
      diagnostics.push(
        report.error('permission.corpus.row', source, `The id \`${id}\` stands twice in this file.`, {
          hint: 'Give each row an id of its own, so that a score can name it.',
          related: [{ message: 'the first of them, which is used', source: first }],
        }),
      )
      continue
    }
    ids.set(id, source)
    rows.push(read.row)
    diagnostics.push(...read.misspelt.map((found) => misspelt(found, source)))
  }
  if (rows.length + diagnostics.length === 0) {
    const message = 'There is no row in this corpus, so nothing was scored.'
    const source: Source = { layer: 'command-line', file, line: 1, column: 1 }
    diagnostics.push(
      report.error('permission.corpus.empty', source, message, { hint: 'Write one JSON object a line.' }),
    )
  }
  return { rows, diagnostics }
}

interface Misspelt {
  readonly field: string
  readonly meant: string
}

function misspelt({ field, meant }: Misspelt, source: Source): Diagnostic {
  const message = `\`${field}\` is not known, and \`${meant}\` is missing; the row is scored without it.`
  return report.warning('permission.corpus.field', source, message, { hint: `Did you mean \`${meant}\`?` })
}

const FIELDS = ['id', 'rules', 'tool', 'input', 'expected', 'accept', 'context']
const CONTEXT_FIELDS = ['cwd', 'home', 'mode', 'platform', 'shell', 'symlinks', 'mcpServer', 'mcpTool']

/** Notes of all kinds stand in a row; what was meant for a field that is missing is none. */
function misspeltIn(value: Readonly<Record<string, unknown>>, fields: readonly string[]): readonly Misspelt[] {
  const missing = fields.filter((field) => !Object.hasOwn(value, field))
  return Object.keys(value).flatMap((field) => {
    const meant = fields.includes(field) ? undefined : suggest(field, missing)
    return meant === undefined ? [] : [{ field, meant }]
  })
}

type RowRead =
  | { readonly row: ConformanceRow; readonly misspelt: readonly Misspelt[]; readonly problem?: undefined }
  | { readonly row?: undefined; readonly problem: string }

function readRow(line: string): RowRead {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return { problem: `it is not valid JSON (${error instanceof Error ? error.message : String(error)})` }
  }
  if (!isMap(value)) return { problem: `it is ${describe(value)}, not an object` }
  const { id, rules = {}, tool, input, expected, context = {} } = value
  const accept = value['accept'] ?? [expected]
  const wrong = (field: string, wanted: string) => ({
    problem: `\`${field}\` is ${describe(value[field])}, not ${wanted}`,
  })
  if (typeof id !== 'string' || id === '') return wrong('id', 'a text')
  if (!isMap(rules)) return wrong('rules', 'an object of lists')
  const stray = Object.keys(rules).find((key) => !EFFECTS.some((effect) => effect === key))
  if (stray !== undefined) return { problem: `\`rules\` holds \`${stray}\`, which is neither allow, ask nor deny` }
  const lists = EFFECTS.map((effect) => rules[effect] ?? [])
  if (!lists.every(isTexts)) return { problem: '`rules` holds something other than lists of texts' }
  if (typeof tool !== 'string' || tool === '') return wrong('tool', 'the name of a tool')
  if (!isMap(input)) return wrong('input', 'an object')
  if (!isBehavior(expected)) return wrong('expected', 'allow, ask or deny')
  if (!Array.isArray(accept) || !accept.every(isBehavior)) return wrong('accept', 'a list of allow, ask and deny')
  if (!isMap(context)) return wrong('context', 'an object')
  const fault = contextFault(context)
  if (fault !== undefined) return { problem: fault }
  const [deny = [], ask = [], allow = []] = lists
  return {
    misspelt: [...misspeltIn(value, FIELDS), ...misspeltIn(context, CONTEXT_FIELDS)],
    row: {
      id,
      rules: { allow, ask, deny },
      tool,
      // Parsed from JSON, so it can hold nothing else.
      input: input as JsonObject,
      expected,
      accept,
      context,
    },
  }
}

const CONTEXT_TEXTS = ['cwd', 'home', 'platform', 'mcpServer', 'mcpTool']
const SHELLS: readonly ShellContext['shell'][] = ['sh', 'bash', 'zsh', 'powershell', 'cmd']

/** What keeps the context from being one. Fields that are not known say nothing. */
function contextFault(context: Readonly<Record<string, unknown>>): string | undefined {
  const odd = CONTEXT_TEXTS.find((field) => context[field] !== undefined && typeof context[field] !== 'string')
  if (odd !== undefined) return `\`context.${odd}\` is ${describe(context[odd])}, not a text`
  const { mode, shell, symlinks = {} } = context
  if (shell !== undefined && !SHELLS.some((each) => each === shell)) {
    return `\`context.shell\` is ${describe(shell)}, not one of ${SHELLS.join(', ')}`
  }
  if (mode !== undefined && !MODES.some((each) => each === mode)) {
    return `\`context.mode\` is ${describe(mode)}, not one of ${MODES.join(', ')}`
  }
  return isMap(symlinks) && isTexts(Object.values(symlinks))
    ? undefined
    : '`context.symlinks` is no map of paths to paths'
}

function isBehavior(value: unknown): value is Behavior {
  return EFFECTS.some((effect) => effect === value)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
