import { type ModelSpec, type ProviderSpec, parseSpec } from './spec.js'

/** The names of Claude Code, for whoever has not given them another meaning. Ids of Anthropic's newest models. */
export const CLAUDE_NAMES: Readonly<Record<string, string>> = {
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  haiku: 'claude-haiku-5-5',
}

/** How ids begin by which a provider's own models are known. */
const OWN_IDS: Readonly<Record<string, RegExp>> = {
  anthropic: /^claude-/,
  openai: /^(?:gpt-|chatgpt-|o\d)/,
}

export function claudeModel(name: string): ProviderSpec | undefined {
  const id = Object.hasOwn(CLAUDE_NAMES, name) ? CLAUDE_NAMES[name] : undefined
  return id === undefined ? undefined : { provider: 'anthropic', id }
}

/**
 * What a name in the file of an agent or a skill may mean beside the names that are configured: another model of the
 * provider that has the conversation already, by the same way. A file must not lead it elsewhere.
 * @param folder where the path of a script starts
 */
export function relativeOf(main: ModelSpec, name: string, folder: string): ModelSpec | undefined {
  if (main.provider === 'scripted') return scriptOf(name, folder)
  if (main.provider === 'openai-compatible') return undefined
  const [, provider, rest] = name.match(/^([^/]+)\/(.+)$/) ?? []
  if (provider === main.provider && rest !== undefined) return { ...main, id: rest }
  if (provider !== undefined) return undefined
  if (OWN_IDS[main.provider]?.test(name)) return { ...main, id: name }
  const claude = main.provider === 'anthropic' ? claudeModel(name.toLowerCase()) : undefined
  return claude && { ...main, id: claude.id }
}

function scriptOf(name: string, folder: string): ModelSpec | undefined {
  const parsed = parseSpec(name, folder)
  return 'spec' in parsed && parsed.spec.provider === 'scripted' ? parsed.spec : undefined
}
