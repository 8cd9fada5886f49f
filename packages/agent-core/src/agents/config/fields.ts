import { suggest } from '@ext/kernel'

/** Fields that limit what an agent may do. None of them may go unread, however it is spelt. */
export type LimitField = 'tools' | 'disallowedTools' | 'permissionMode' | 'maxTurns' | 'profile'

/** By their folded spelling. */
const LIMITS: Readonly<Record<string, LimitField>> = {
  tools: 'tools',
  // What the same limit is called in the header of a skill.
  allowedtools: 'tools',
  disallowedtools: 'disallowedTools',
  permissionmode: 'permissionMode',
  maxturns: 'maxTurns',
  profile: 'profile',
}

export const LIMIT_FIELDS: readonly LimitField[] = ['tools', 'disallowedTools', 'permissionMode', 'maxTurns', 'profile']

/** For a header that can't be read as it stands; see `parseFrontmatter`. */
export const RESTRICTING: readonly string[] = Object.keys(LIMITS)

/** A known field without a consumer. */
export interface IdleField {
  /** What happens instead. */
  readonly instead: string
  readonly severity: 'warning' | 'info'
}

export const WITHOUT_EFFECT: Readonly<Record<string, IdleField>> = {
  hooks: { instead: 'its hooks do not run', severity: 'warning' },
  mcpServers: { instead: 'it has the servers of the agent that starts it', severity: 'warning' },
  memory: { instead: 'it keeps nothing from one run to the next', severity: 'warning' },
  effort: { instead: 'the model is asked without it', severity: 'warning' },
  isolation: { instead: 'it works in the folder of the session', severity: 'warning' },
  initialPrompt: { instead: 'it begins with what it is asked', severity: 'warning' },
  color: { instead: 'agents are shown without colors', severity: 'info' },
}

export const KNOWN_FIELDS: readonly string[] = [
  'name',
  'description',
  'model',
  'skills',
  'background',
  'handoff',
  ...LIMIT_FIELDS,
  ...Object.keys(WITHOUT_EFFECT),
]

/** The limit that a field sets, in any case and with any of `-`, `_` or nothing between words. */
export function limitOf(field: string): LimitField | undefined {
  const folded = fold(field)
  return Object.hasOwn(LIMITS, folded) ? LIMITS[folded] : undefined
}

/** Whether an unknown field is probably meant as a limit: a misspelt one, or one of another program. */
export function resemblesLimit(field: string): boolean {
  if (KNOWN_FIELDS.includes(field) || limitOf(field)) return false
  return /tool|permission/.test(fold(field)) || limitOf(suggest(field, KNOWN_FIELDS) ?? '') !== undefined
}

function fold(field: string): string {
  return field.toLowerCase().replace(/[-_\s]/g, '')
}
