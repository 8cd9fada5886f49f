import { createReporter, type Diagnostic, type Source, suggest } from '@ext/kernel'
import { compileRegex, type Matcher } from '@ext/kernel/match'
import { diagnosticCodes } from '../codes.js'
import { compileMatcher, type MatcherForm, otherNames, RENAMED } from './matcher.js'

const report = createReporter(diagnosticCodes)

/** A matcher with what is known about the place where it stands. */
export interface WrittenMatcher {
  readonly text: string
  readonly form: MatcherForm
  readonly anchored: boolean
  readonly source: Source
  readonly entryId: string
  /** The subjects are names of tools. */
  readonly ofTools: boolean
  /** Every subject that can occur; `undefined` when nobody knows. */
  readonly known: readonly string[] | undefined
  readonly event: string
}

/** Tool names of the rule language: what stands before a parenthesis in a permission rule. */
const RULE_TOOLS = new Set([
  'Agent',
  'Bash',
  'Edit',
  'Glob',
  'Grep',
  'MultiEdit',
  'NotebookEdit',
  'Read',
  'Skill',
  'Task',
  'WebFetch',
  'WebSearch',
  'Write',
])

/** The error for a matcher that is meant as something else; `undefined` when it may be compiled. */
export function misunderstoodMatcher(written: WrittenMatcher): Diagnostic | undefined {
  const { text, form, source, ofTools, entryId: entry } = written
  if (form.kind !== 'regex') return undefined
  if (/(?<!\?<?)[!=]=|&&|=~/.test(text)) {
    const names = [...text.matchAll(/["']([\w-]+)["']/g)].map((found) => found[1])
    return report.error('hooks.matcher.pseudo-code', source, `The matcher \`${text}\` is an expression of code.`, {
      entry,
      hint: `Write names or a regular expression${names.length > 0 ? `, here: ${names.join('|')}` : ', for example Edit|Write'}.`,
    })
  }
  if (/^\/.+\/[a-z]+$/.test(text)) {
    return report.error('hooks.matcher.regex', source, `The matcher \`${text}\` has flags, which are not supported.`, {
      entry,
      hint: 'Leave the flags out; (?i) at the start ignores case.',
    })
  }
  const [, tool = '', inParentheses, afterColon] = /^(\w+)(?:\((.*)\)|:(.*))$/s.exec(text) ?? []
  if (ofTools && RULE_TOOLS.has(tool)) {
    const specifier = (inParentheses ?? afterColon ?? '').replaceAll('.*', '*').replaceAll('\\', '')
    const rule = `${tool}(${specifier})`
    return report.error(
      'hooks.matcher.permission-syntax',
      source,
      `The matcher \`${text}\` fits no tool: conditions on the call belong into \`if\`.`,
      { entry, hint: `Write \`matcher: ${tool}\` with \`if: ${rule}\`.` },
    )
  }
  return undefined
}

/** The error for a regular expression that can't be compiled. */
export function unusableMatcher({ text, source, entryId }: WrittenMatcher, problem: string): Diagnostic {
  return report.error('hooks.matcher.regex', source, `The matcher \`${text}\` can't be used: ${problem}.`, {
    entry: entryId,
    hint: 'Write names such as Edit|Write, or a plain regular expression.',
  })
}

/** Warnings about a matcher that compiles and may still not do what is meant. */
export function lintMatcher(written: WrittenMatcher, matcher: Matcher): readonly Diagnostic[] {
  const { text, form, anchored, source, known, ofTools } = written
  if (form.kind === 'all') return []
  const findings: Diagnostic[] = []
  const warn = (code: keyof typeof diagnosticCodes, message: string, hint: string) =>
    findings.push(report.warning(code, source, message, { hint }))

  if (form.emptyBranch) {
    const effect = form.kind === 'regex' && !anchored ? 'so it matches everything' : 'which matches nothing'
    warn('hooks.matcher.empty-branch', `A branch of \`${text}\` is empty, ${effect}.`, 'Remove the stray |.')
  }
  if (form.kind === 'regex' && anchored && ofTools && /__\*(?=$|[|)])/.test(form.pattern)) {
    const meant = form.pattern.replaceAll(/__\*(?=$|[|)])/g, '__.*')
    warn(
      'hooks.matcher.server',
      `In \`${text}\` the \`*\` repeats an underscore, so it fits no tool of the server.`,
      `Write ${meant}.`,
    )
  }
  if (form.kind === 'names') lintNames(form.names, written, warn)
  const never = ofTools && form.kind === 'regex' ? signOfNoName(form.pattern) : undefined
  if (never !== undefined) {
    const hint =
      never === '!'
        ? 'Nothing in a matcher means “not”: name the tools that it is for.'
        : 'Write names such as Edit|Write.'
    warn('hooks.matcher.no-match', `No tool has \`${never}\` in its name, so \`${text}\` fits none.`, hint)
  }
  if (!known || known.length === 0 || findings.length > 0) return findings

  const hits = known.filter((name) => matcher.test(name))
  if (hits.length === 0 && !text.includes('mcp__')) {
    const insensitive = form.kind === 'regex' ? compileRegex(`(?i)${form.pattern}`, { anchored }).matcher : undefined
    const inOtherCase = insensitive && known.find((name) => insensitive.test(name))
    if (inOtherCase) {
      warn(
        'hooks.matcher.case',
        `\`${text}\` would match \`${inOtherCase}\` in another case.`,
        'Case matters in matchers.',
      )
    } else {
      const near = suggest(text, known)
      const hint = near ? `Did you mean \`${near}\`?` : `Known here: ${known.slice(0, 12).join(', ')}.`
      warn('hooks.matcher.no-match', `\`${text}\` fits nothing that ${written.event} is fired for.`, hint)
    }
  }
  if (form.kind === 'regex' && !anchored) {
    const whole = compileMatcher(text, form, { anchored: true }).matcher
    const extra = hits.filter((name) => !whole?.test(name))
    if (whole && extra.length > 0 && extra.length < hits.length) {
      warn(
        'hooks.matcher.wide',
        `\`${text}\` also matches ${extra.join(', ')}: in this format it may match any part of a name.`,
        `Write ^(?:${form.pattern})$ to match whole names only.`,
      )
    }
  }
  return findings
}

/** A character that stands for itself and in the name of no tool. */
function signOfNoName(pattern: string): string | undefined {
  const literal = pattern.replaceAll(/\[[^\]]*\]|\(\?(?:<\w+>|[^):]*:)/g, '')
  return /^!|[@#%&=<>~`'";:]/.exec(literal)?.[0]
}

function lintNames(
  names: readonly string[],
  { known, ofTools }: WrittenMatcher,
  warn: (code: keyof typeof diagnosticCodes, message: string, hint: string) => void,
): void {
  for (const name of names) {
    if (known?.includes(name)) continue
    const [, server] = /^mcp__((?:[^_]|_(?!_))+)$/.exec(name) ?? []
    if (ofTools && server !== undefined) {
      warn(
        'hooks.matcher.server',
        `\`${name}\` names an MCP server; its tools are called mcp__${server}__….`,
        `Write mcp__${server}__.* to match all of them.`,
      )
    }
    if (!known) continue
    const renamed = RENAMED[name]
    if (ofTools && renamed !== undefined && !names.includes(renamed)) {
      warn(
        'hooks.matcher.renamed',
        `\`${name}\` is the former name of \`${renamed}\`, which is matched too.`,
        `Write ${renamed}.`,
      )
    }
    const inOtherCase = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
    const otherName = ofTools ? otherNames(name).find((other) => known.includes(other)) : undefined
    if (inOtherCase !== undefined) {
      warn(
        'hooks.matcher.case',
        `\`${name}\` fits nothing here, but there is \`${inOtherCase}\`.`,
        `Write ${inOtherCase}; case matters.`,
      )
    } else if (otherName !== undefined && renamed === undefined) {
      warn(
        'hooks.matcher.alias',
        `\`${name}\` fits nothing here; the tool of that kind is called \`${otherName}\`.`,
        `Write ${otherName}.`,
      )
    }
  }
}
