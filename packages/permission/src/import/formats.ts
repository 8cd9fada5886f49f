import { isMap, parseDocument } from '@ext/kernel'

/** What a file is, by its shape, if it is known and no settings file of Claude Code; `undefined` for all others. */
export async function foreignFormat(text: string): Promise<string | undefined> {
  if (/^\s*\[\[\s*rule\s*\]\]/m.test(text)) return 'a policy file of Gemini CLI (TOML)'
  if (/^\s*(?:prefix_rule|host_executable|network_rule)\s*\(/m.test(text)) return 'a rules file of Codex'
  const { document } = await parseDocument(text, 'json', { layer: 'project', dialect: 'json' })
  if (document) {
    const { value } = document
    if (!isMap(value)) return undefined
    const { $schema, permission, permissions } = value
    const ofOpencode = typeof $schema === 'string' && $schema.includes('opencode.ai')
    return permissions === undefined && (ofOpencode || permission !== undefined)
      ? 'a configuration of opencode'
      : undefined
  }
  return /^permissions:/m.test(text) ? 'in the native form already' : undefined
}
