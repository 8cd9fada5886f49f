import { suggest } from '@ext/kernel'

/** What a tool list of a header is for. */
export type ToolField = 'allowed-tools' | 'disallowed-tools' | 'restrict'

/** By their folded spelling. */
const TOOL_FIELDS: Readonly<Record<string, ToolField>> = {
  allowedtools: 'allowed-tools',
  disallowedtools: 'disallowed-tools',
  restrict: 'restrict',
}

/** Spellings that are no news to anybody. */
const USUAL_SPELLINGS: readonly string[] = ['allowed-tools', 'allowed_tools', 'disallowed-tools', 'restrict']

/** Fields that take tools away. A header that can't be read as it stands is not guessed at if it has one of them. */
export const RESTRICTING: readonly string[] = ['disallowed-tools', 'restrict']

/** Keeps the model out. */
export const USER_ONLY = 'disable-model-invocation'

/** Whether a field can only be meant as {@link USER_ONLY}: in another case, or with other signs between its words. */
export function isUserOnlySpelling(field: string): boolean {
  // Most fields are told apart by their length alone.
  return (
    field.length > 20 && field !== USER_ONLY && field.toLowerCase().replace(/[-_\s]/g, '') === 'disablemodelinvocation'
  )
}

/** Fields that are known but have no effect, with what happens instead. */
export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  background: 'whoever starts a forked skill waits for its answer',
}

/** Fields of the open Agent Skills format. */
export const PORTABLE_FIELDS: readonly string[] = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
]

/** What Claude Code reads besides. */
export const CLAUDE_FIELDS: readonly string[] = [
  'when_to_use',
  'argument-hint',
  'arguments',
  USER_ONLY,
  'user-invocable',
  'disallowed-tools',
  'model',
  'effort',
  'context',
  'agent',
  'background',
  'hooks',
  'paths',
  'shell',
]

/** Names of this project, two of them for what has another name elsewhere. */
export const OWN_FIELDS: readonly string[] = ['allowed_tools', 'restrict', 'mode', 'fork_context']

export const KNOWN_FIELDS: readonly string[] = [...PORTABLE_FIELDS, ...CLAUDE_FIELDS, ...OWN_FIELDS]

/** Most headers hold nothing else, and so cost no more than a look-up. */
const NO_TOOL_FIELDS: ReadonlySet<string> = new Set(KNOWN_FIELDS.filter((field) => !USUAL_SPELLINGS.includes(field)))

/** The tool list that a field is, in any case and with any of `-`, `_` or nothing between words. */
export function toolFieldOf(field: string): ToolField | undefined {
  if (NO_TOOL_FIELDS.has(field)) return undefined
  const folded = field.toLowerCase().replace(/[-_\s]/g, '')
  return Object.hasOwn(TOOL_FIELDS, folded) ? TOOL_FIELDS[folded] : undefined
}

/** Other programs may not read it when it is spelt so. */
export function isUnusualSpelling(field: string): boolean {
  return !USUAL_SPELLINGS.includes(field)
}

/** What somebody may call a limit who does not know its name. */
const OTHER_LIMIT =
  /^(?:restrict(?:ed)?|den(?:y|ied)|forbid(?:den)?|block(?:ed)?|exclude[ds]?|not[-_\s]?allowed)[-_\s]?tools?$/i

/** The tool list that an unknown field is probably meant to be. */
export function misspeltToolField(field: string): ToolField | undefined {
  if (NO_TOOL_FIELDS.has(field) || toolFieldOf(field)) return undefined
  if (OTHER_LIMIT.test(field)) return /restrict/i.test(field) ? 'restrict' : 'disallowed-tools'
  // Most unknown fields are like none of these few, and need not be held against all others.
  if (suggest(field, USUAL_SPELLINGS) === undefined) return undefined
  return toolFieldOf(suggest(field, KNOWN_FIELDS) ?? '')
}
