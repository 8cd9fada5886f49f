import { compilePathPattern, compileRegex, type PathAnchors } from '@ext/kernel/match'
import { compileRule, matchCall } from '@ext/permission/rule'
import { type ConditionTree, comparedText, type FieldMatch } from '../config/condition.js'
import { fieldAt } from '../field-at.js'
import type { SentPayload } from '../run/payload.js'

/** Whether conditions on fields hold for a payload. */
export type FieldsTest = (payload: SentPayload) => boolean

type TextTest = (text: string) => boolean

/** A longer text is matched by no regular expression, so nobody can say what it holds. UTF-16 units. */
const MAX_REGEX_SUBJECT = 65_536

/**
 * Compiles conditions on fields. What can't be judged holds, also under `not`: a hook that runs too often is noticed.
 * @returns the first part that can't be used as `problem`
 */
export function compileFields(
  { join, atoms }: ConditionTree,
  anchors: PathAnchors,
):
  | { readonly test: FieldsTest; readonly problem?: undefined }
  | { readonly test?: undefined; readonly problem: string } {
  const tests: FieldsTest[] = []
  for (const [index, { field, match, holdsWithout }] of atoms.entries()) {
    const compiled = compileMatch(match, true, anchors)
    if ('problem' in compiled) return { problem: `\`${join}[${index}].match\`: ${compiled.problem}` }
    tests.push((payload) => {
      const text = comparedText(fieldAt(payload, field))
      return text === undefined ? holdsWithout : compiled.test(text)
    })
  }
  return join === 'all_of'
    ? { test: (payload) => tests.every((test) => test(payload)) }
    : { test: (payload) => tests.some((test) => test(payload)) }
}

/** @param wide whether what can't be judged fits; under `not` it must not */
function compileMatch(
  match: FieldMatch,
  wide: boolean,
  anchors: PathAnchors,
): { readonly test: TextTest } | { readonly problem: string } {
  switch (match.type) {
    case 'not': {
      const inner = compileMatch(match.inner, !wide, anchors)
      return 'problem' in inner ? inner : { test: (text) => !inner.test(text) }
    }
    case 'exact':
      return { test: (text) => text === match.value }
    case 'regex': {
      const { matcher, problem } = compileRegex(match.value, { anchored: false })
      if (!matcher) return { problem }
      return { test: (text) => (text.length > MAX_REGEX_SUBJECT ? wide : matcher.test(text)) }
    }
    case 'glob': {
      const { test, never } = compilePathPattern(match.value, anchors)
      return never === undefined ? { test } : { problem: `the path can never match: ${never}` }
    }
    case 'command':
      return compileCommand(match.value, wide, anchors)
  }
}

/** A command pattern means what it means in a permission rule: read widely, or under `not` narrowly. */
function compileCommand(pattern: string, wide: boolean, anchors: PathAnchors) {
  const rule = { text: `Bash(${pattern})`, tool: 'Bash', specifier: pattern }
  const compiled = compileRule(rule, { effect: wide ? 'condition' : 'allow', anchors, tools: {} })
  if (compiled.problem) return { problem: compiled.problem.problem }
  const tool = { name: 'Bash', source: { tool: 'Bash' } }
  return { test: (command: string) => matchCall(compiled, { tool, input: { command } }) }
}
