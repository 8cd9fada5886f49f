/** An entry that fits the schema, before what its texts say is read. */
export interface Written {
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly inheritEnv?: string | readonly string[]
  readonly url?: string
  readonly expandUrl?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly listen?: 'auto' | 'off'
  readonly protocol?: 'auto' | '2025' | '2026' | 2025 | 2026
  readonly enabled?: boolean
  readonly trust?: boolean
  readonly lazy?: boolean
  readonly required?: readonly string[]
}
