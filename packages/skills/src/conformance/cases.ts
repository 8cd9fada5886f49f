import type { LayerName } from '@ext/kernel/types'

/** Something that a file system holds. Paths are relative, with `/`. */
export interface TreeItem {
  readonly path: string
  /** A file with this text. `{n}` stands for the number of the copy, also in `path`. */
  readonly text?: string
  /** More text behind it. */
  readonly repeat?: { readonly text: string; readonly times: number }
  /** A file with these bytes. */
  readonly base64?: string
  /** A link with this target. */
  readonly link?: string
  /** A folder, also without anything in it. */
  readonly folder?: boolean
  /** Permissions, for files and folders; 0: nobody may read it. */
  readonly mode?: number
  /** As many of them, numbered from 0. */
  readonly count?: number
}

/** What a machine has to have, so that a case can be tried on it. */
export type Need = 'links' | 'permissions' | 'case-sensitive'

/** Skills as they lie on a disk, and what a loader has to make of them. */
export interface ConformanceCase {
  readonly id: string
  /** For people. */
  readonly why: string
  /** Public reports that it comes from. */
  readonly source?: string
  readonly needs?: Need
  readonly tree: readonly TreeItem[]
  /** Folders of skills, the farthest first. */
  readonly roots: readonly { readonly path: string; readonly layer: LayerName }[]
  readonly expected: Expected
}

export interface Expected {
  /** All skills that take effect; no other may. */
  readonly loaded: readonly { readonly file: string; readonly name: string; readonly description?: string }[]
  /** Files and folders about which something has to be said, with the place where one is given. */
  readonly reported: readonly { readonly file: string; readonly line?: number; readonly column?: number }[]
  /** Files of the name SKILL.md about which nothing need be said. */
  readonly inside?: readonly string[]
  /** So many skills are there: all are loaded, or something is said about those that are not. */
  readonly accountsFor?: number
}

/** The cases of a file with one JSON object a line. Lines that are empty are left out. */
export function readCases(jsonl: string): readonly ConformanceCase[] {
  return jsonl
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as ConformanceCase)
}
