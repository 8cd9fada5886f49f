/** Depth of the deepest folder that is looked into; the one where a search starts has 0. */
export const MAX_DEPTH = 6
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules'])
