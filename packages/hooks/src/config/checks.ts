import {
  createReporter,
  type Diagnostic,
  describe,
  isMap,
  type Located,
  type Outcome,
  type Source,
  suggest,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { type EventName, eventNamed, KNOWN_EVENT_NAMES } from '../event-names.js'
import { EVENT_NAMES } from '../events.js'

const report = createReporter(diagnosticCodes)

/** Kinds of action that hook files use elsewhere. */
const OTHER_ACTIONS = new Set(['http', 'url', 'prompt', 'agent', 'subagent', 'mcp_tool', 'function'])

/** The error for an action of a known kind that nothing runs here; `undefined` for all others. */
export function unsupportedAction(entry: Located<unknown>, pointer: string, type: unknown): Diagnostic | undefined {
  if (typeof type !== 'string' || !OTHER_ACTIONS.has(type)) return undefined
  return report.error(
    'hooks.action.unsupported',
    entry.at(pointer),
    `Hooks of type \`${type}\` are not supported by this version.`,
    {
      entry: entry.id,
      pointer: entry.pointer + pointer,
      expected: ['command'],
      hint: 'Use `type: command`, for example with a script that does the same.',
    },
  )
}

export function checkEvent(name: string, source: Source, entryId: string): Outcome<EventName> {
  const value = eventNamed(name)
  if (value) return { value, diagnostics: [] }
  const typo = suggest(name, KNOWN_EVENT_NAMES)
  const hint = typo ? `Did you mean \`${typo}\`?` : `Use one of: ${EVENT_NAMES.join(', ')}.`
  return {
    diagnostics: [
      report.error('hooks.event.unknown', source, `There is no event \`${name}\`.`, {
        entry: entryId,
        expected: EVENT_NAMES,
        hint,
      }),
    ],
  }
}

/**
 * Takes the keys out that this version does not act on, and says what that means. A key that is false or null asks
 * for nothing and is only taken out.
 */
export function withoutUnsupported(
  entry: Located<unknown>,
  keys: Readonly<Record<string, string>>,
): { readonly rest: Located<unknown>; readonly diagnostics: readonly Diagnostic[] } {
  if (!isMap(entry.value)) return { rest: entry, diagnostics: [] }
  const rest: Record<string, unknown> = {}
  const diagnostics: Diagnostic[] = []
  for (const [key, value] of Object.entries(entry.value)) {
    const consequence = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (consequence === undefined) {
      rest[key] = value
    } else if (value !== false && value !== null) {
      diagnostics.push(
        report.warning(
          'hooks.key.unsupported',
          entry.at(`/${key}`, 'key'),
          `\`${key}\` is not supported by this version: ${consequence}.`,
          { pointer: `${entry.pointer}/${key}`, hint: 'Remove it if that is not what you want.' },
        ),
      )
    }
  }
  return { rest: { ...entry, value: rest }, diagnostics }
}

/**
 * Takes an `if` out that is no text. The hook stays: one that runs too often is noticed, one that silently never runs
 * is not.
 */
export function withoutBadCondition(entry: Located<unknown>): {
  readonly rest: Located<unknown>
  readonly diagnostics: readonly Diagnostic[]
} {
  if (!isMap(entry.value) || !Object.hasOwn(entry.value, 'if')) return { rest: entry, diagnostics: [] }
  const { if: condition, ...rest } = entry.value
  if (typeof condition === 'string' && condition !== '') return { rest: entry, diagnostics: [] }
  const problem = isMap(condition)
    ? 'conditions of several parts are not supported by this version'
    : describe(condition)
  return {
    rest: { ...entry, value: rest },
    diagnostics: [conditionProblem(entry, problem, 'nothing')],
  }
}

/**
 * Says that the `if` of a hook holds less back than it should. The hook is loaded all the same: one that runs too often is
 * noticed, a silent hole is not.
 * @param rest what is left of it: nothing, or the tool's name
 */
export function conditionProblem(entry: Located<unknown>, problem: string, rest: 'nothing' | 'tool'): Diagnostic {
  const effect = rest === 'tool' ? 'for every call of that tool' : 'for every call that its matcher fits'
  return report.error(
    'hooks.if.invalid',
    entry.at('/if'),
    `\`if\` can't be used (${problem}), so the hook runs ${effect}.`,
    {
      pointer: `${entry.pointer}/if`,
      expected: ['a permission rule'],
      hint: 'Write a permission rule, for example Bash(git push *).',
    },
  )
}
