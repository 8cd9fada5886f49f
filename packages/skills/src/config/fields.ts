import { suggest } from '@ext/kernel'

/** Fields that this version acts on, or keeps for hosts. */
const ACTED_ON = [
  'name',
  'description',
  'when_to_use',
  'argument-hint',
  'arguments',
  'disable-model-invocation',
  'user-invocable',
  'license',
  'compatibility',
  'metadata',
] as const

/** Fields that are known but have no effect, with what happens instead. */
export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  'allowed-tools': 'no tool is approved in advance, permission rules decide',
  allowed_tools: 'no tool is approved in advance, permission rules decide',
  context: 'the skill runs in the conversation itself',
  mode: 'the skill runs in the conversation itself',
  fork_context: 'the skill runs in the conversation itself',
  background: 'the skill runs in the conversation itself',
  agent: 'the skill runs in the conversation itself',
  model: 'the model of the session is used',
  effort: 'the effort of the session is used',
  hooks: 'its hooks do not run',
  paths: 'the skill is listed whatever files are in use',
  shell: 'commands in the body do not run',
}

/** Fields that take tools away. Their presence alone counts: an empty list may mean none at all. */
export const RESTRICTING: readonly string[] = ['disallowed-tools', 'restrict']
/** A grant in the conversation, but a hard limit in a fork. */
const TOOL_LISTS: readonly string[] = ['allowed-tools', 'allowed_tools']
const MODES: readonly string[] = ['context', 'mode']

export const KNOWN_FIELDS: readonly string[] = [...ACTED_ON, ...Object.keys(WITHOUT_EFFECT), ...RESTRICTING]

type Header = Readonly<Record<string, unknown>>

/** `inline` is what this version does anyway; any other value may ask for a fork, also one that is misspelt. */
export function asksForFork(header: Header): boolean {
  return MODES.some((field) => header[field] !== undefined && header[field] !== 'inline')
}

/** The field that limits the tools of the skill, as it is written. */
export function toolLimit(header: Header): string | undefined {
  const limits = asksForFork(header) ? [...RESTRICTING, ...TOOL_LISTS] : RESTRICTING
  return Object.keys(header).find((field) => limits.includes(meaning(field)))
}

/** A misspelt field is taken for what it was meant to be: `disallowedTools` is no less of a limit. */
function meaning(field: string): string {
  return KNOWN_FIELDS.includes(field) ? field : (suggest(field, KNOWN_FIELDS) ?? field)
}
