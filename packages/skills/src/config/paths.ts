import { createReporter, describe, joinPointer } from '@ext/kernel'
import { anyOf, compilePathPattern, type Matcher } from '@ext/kernel/match'
import type { Diagnostic, Located } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { CompileContext } from './context.js'
import type { SkillHeader } from './header.js'

const report = createReporter(diagnosticCodes)

const NO_EXCEPTIONS = 'a ! in front makes no exception here, and \\! stands for a name that starts with it'
/** Nobody writes more alternatives than this into one pattern. */
const MAX_ALTERNATIVES = 100

/**
 * Reads `paths`: globs in a list, or in one text with commas. A field that can't be read leaves the skill without
 * paths, as if it were not there: hiding a skill is no limit, only help.
 */
export function readPaths(
  entry: Located<SkillHeader>,
  context: CompileContext,
): { readonly paths?: Matcher; readonly diagnostics: readonly Diagnostic[] } {
  const value = entry.value['paths']
  if (value === undefined || value === null) return { diagnostics: [] }
  const texts = typeof value === 'string' ? splitOutsideBraces(value) : value
  if (!Array.isArray(texts) || texts.length === 0 || !texts.every((each) => typeof each === 'string')) {
    const message = `\`paths\` is ${describe(value)}, not globs in a list or with commas between them; it is left out.`
    const hint = 'Write for example `paths: ["src/**/*.ts"]`.'
    const details = { entry: entry.id, pointer: '/paths', hint }
    return { diagnostics: [report.warning('skills.field.ignored', entry.at('/paths'), message, details)] }
  }
  const { projectDir: cwd, home, ignoreCase } = context
  const diagnostics: Diagnostic[] = []
  const matchers: Matcher[] = []
  for (const [index, text] of texts.entries()) {
    const patterns = expandBraces(text.trim())
    for (const pattern of patterns) {
      const matcher = compilePathPattern(pattern, { cwd, home, sourceDir: cwd, ignoreCase })
      const never = pattern.startsWith('!') ? NO_EXCEPTIONS : matcher.never
      if (never === undefined) {
        matchers.push(matcher)
        continue
      }
      const pointer = Array.isArray(value) ? joinPointer('/paths', index) : '/paths'
      const message = `The pattern ${JSON.stringify(pattern)} matches nothing: ${never}.`
      const details = { entry: entry.id, pointer, hint: 'Write a pattern as in .gitignore, for example `src/**/*.ts`.' }
      diagnostics.push(report.warning('skills.paths.never', entry.at(pointer), message, details))
    }
  }
  return { ...(matchers.length === 0 ? {} : { paths: Object.freeze(anyOf(matchers)) }), diagnostics }
}

function splitOutsideBraces(text: string): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const char of text) {
    if (char === '{') depth++
    if (char === '}') depth--
    if (char === ',' && depth <= 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** `*.{ts,tsx}` is two patterns. Braces that do not match, or hold no comma, are text. */
function expandBraces(pattern: string): readonly string[] {
  const done: string[] = []
  const open = [pattern]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = /\{([^{}]*,[^{}]*)\}/.exec(next)
    if (!found || open.length + done.length >= MAX_ALTERNATIVES) {
      done.push(next)
      continue
    }
    const [whole, inner = ''] = found
    const before = next.slice(0, found.index)
    const after = next.slice(found.index + whole.length)
    open.push(
      ...inner
        .split(',')
        .reverse()
        .map((part) => before + part + after),
    )
  }
  return done
}
