import type { ConfigSource } from '@ext/kernel'

/**
 * Looking around in the project needs no question, whichever way the model does it: commands that only read run without
 * one, too. Every rule of a person comes before it, and the workspace is its limit.
 */
export const OWN_RULES: ConfigSource = {
  kind: 'value',
  layer: 'built-in',
  dialect: 'ext',
  name: 'ext',
  value: { permissions: { allow: ['Read(./**)'] } },
}

/** What `--allow` and `--deny` say. */
export function commandLineRules(
  rules: { readonly allow: readonly string[]; readonly deny: readonly string[] } | undefined,
): readonly ConfigSource[] {
  const source = (name: '--allow' | '--deny', value: unknown): ConfigSource => ({
    kind: 'value',
    layer: 'command-line',
    dialect: 'ext',
    name,
    value,
  })
  return [
    ...(rules?.allow.length ? [source('--allow', { permissions: { allow: rules.allow } })] : []),
    ...(rules?.deny.length ? [source('--deny', { permissions: { deny: rules.deny } })] : []),
  ]
}
