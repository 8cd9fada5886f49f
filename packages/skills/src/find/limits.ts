/** How far a search goes. What is beyond is reported. */
export interface SearchLimits {
  /** Depth of the deepest folder that is looked into; the one where a search starts has 0. */
  readonly depth: number
  /** For each source, without the folder of the source itself. */
  readonly folders: number
  /** Of one SKILL.md. */
  readonly fileBytes: number
}

export const DEFAULT_LIMITS: SearchLimits = { depth: 6, folders: 2000, fileBytes: 1024 * 1024 }
export const MAX_DEPTH: number = DEFAULT_LIMITS.depth
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules'])
