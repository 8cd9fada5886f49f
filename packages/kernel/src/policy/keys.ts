/**
 * Keys at the top of a managed file by which an administrator limits what all others configure, by axis. In one place, so
 * that no axis takes a key of another one for a misspelt one of its own.
 */
export const POLICY_KEYS: { readonly [Axis in 'hooks' | 'servers']: readonly string[] } = {
  hooks: [
    'allowManagedHooksOnly',
    'allowedHookSources',
    'allowedHookCommands',
    'allowedHttpHookUrls',
    'httpHookAllowedEnvVars',
    'maxHookTimeout',
    'defaultOnFailure',
  ],
  servers: [
    'allowedMcpCommands',
    'allowedMcpRegistries',
    'allowedMcpServers',
    'denyMcpInheritAll',
    'requireMcpSandbox',
  ],
}

const ALL = Object.values(POLICY_KEYS).flat()

export function isPolicyKey(key: string): boolean {
  return ALL.includes(key)
}

export type PolicyAxis = keyof typeof POLICY_KEYS
