import type { ConfigSource } from '@ext/kernel'

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
