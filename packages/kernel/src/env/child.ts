import { minimalEnv } from './minimal.js'
import { ENV_PRESETS, type EnvPreset } from './presets.js'

/** What a child may see of the host's variables, and what it is given besides. */
export interface ChildEnvOptions {
  /** The host's variables. */
  readonly host: Readonly<Record<string, string | undefined>>
  /** As Node names it. On `win32` names are the same in any case. */
  readonly platform: string
  /** Names that are passed on beyond the minimal ones. */
  readonly passEnv?: readonly string[]
  readonly presets?: readonly EnvPreset[]
  /** Passes on everything, secrets included. Left out, the child gets the minimal variables. */
  readonly inherit?: 'all'
  /** Variables with their values, which win over those of the host. */
  readonly declared?: Readonly<Record<string, string>>
}

/** The whole environment of a child. */
export interface ChildEnv {
  readonly env: Readonly<Record<string, string>>
  /** Names of `passEnv` that the host has no value for and `declared` does not give one; each once. */
  readonly missing: readonly string[]
}

/** Builds the environment of a child: the minimal variables, those that are asked for by name, and those declared. */
export function childEnv(options: ChildEnvOptions): ChildEnv {
  const { host, platform, passEnv = [], presets = [], inherit, declared = {} } = options
  // Windows keeps names in the case that somebody once gave them, and a child that gets two cases reads either.
  const keyOf = (name: string) => (platform === 'win32' ? name.toUpperCase() : name)
  const env = new Map<string, readonly [name: string, value: string]>()
  const put = (source: Readonly<Record<string, string | undefined>>, wanted?: ReadonlySet<string>) => {
    if (wanted?.size === 0) return
    for (const name of Object.keys(source)) {
      if (wanted && !wanted.has(keyOf(name))) continue
      const value = source[name]
      if (value !== undefined) env.set(keyOf(name), [name, value])
    }
  }
  if (inherit === 'all') put(host)
  else put(minimalEnv(host, platform))
  put(host, new Set([...presets.flatMap((preset) => ENV_PRESETS[preset]), ...passEnv].map(keyOf)))
  put(declared)
  return {
    env: Object.fromEntries(env.values()),
    missing: [...new Set(passEnv)].filter((name) => !env.has(keyOf(name))),
  }
}
