import { ExtError } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import type { ClockPort, WorkFilesPort } from '@ext/kernel/types'
import { checkLimit } from '../../limits.js'
import { ReadFiles } from './read-files.js'

/** What the file tools work with. */
export interface FileToolOptions {
  readonly ports: {
    readonly files: WorkFilesPort
    /** Long searches let others have their turn. */
    readonly clock: ClockPort
    /** What `~` stands for. Absolute. */
    readonly home: string
    /** As Node names it: on `darwin` and `win32`, names that differ in case are one. */
    readonly platform: string
  }
  /**
   * Folders besides the working folder of the session in which files may be touched, absolute; `/` for all of them. Where a
   * link leads counts, not where it stands. Default: none.
   */
  readonly roots?: (session: SessionRef) => readonly string[]
  /**
   * Whether a search may open a file that it comes across; what it may not is left out and counted. The gate decides about
   * what a call names, and this about what it finds. Asked by every absolute path that the file has. Default: yes.
   */
  readonly mayFind?: (path: string, session: SessionRef) => boolean
  readonly limits?: Partial<FileToolLimits>
}

export interface FileToolLimits {
  /** Lines that one Read gives. Default 2,000. */
  readonly readLines: number
  /** Characters that one Read or Grep gives. Default 100,000. */
  readonly characters: number
  /** Largest image that Read gives. Bytes. Default 3.75 MiB, which is 5 MiB in base64. */
  readonly imageBytes: number
  /** Largest file that Edit and Write change. Bytes. Default 10 MiB. */
  readonly editBytes: number
  /** Largest file that Grep searches. Bytes. Default 10 MiB. */
  readonly searchBytes: number
  /** Files and folders that one search looks at. Default 200,000. */
  readonly searchItems: number
  /** Paths that Glob gives, and the most that Grep gives of whatever it is asked for. Default 1,000. */
  readonly results: number
}

const DEFAULT_LIMITS: FileToolLimits = {
  readLines: 2000,
  characters: 100_000,
  imageBytes: 3.75 * 1024 * 1024,
  editBytes: 10 * 1024 * 1024,
  searchBytes: 10 * 1024 * 1024,
  searchItems: 200_000,
  results: 1000,
}

/** What all file tools of an agent share. */
export interface FileHost {
  readonly files: WorkFilesPort
  readonly clock: ClockPort
  readonly home: string
  readonly platform: string
  readonly limits: FileToolLimits
  readonly read: ReadFiles
  roots(session: SessionRef): readonly string[]
  mayFind(path: string, session: SessionRef): boolean
}

export function openHost({ ports, roots, mayFind, limits: given = {} }: FileToolOptions): FileHost {
  const limits = { ...DEFAULT_LIMITS, ...given }
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const names = Object.keys(DEFAULT_LIMITS).join(', ')
      throw new ExtError('agent-core.limit', `There is no limit \`${name}\` of file tools; there are ${names}.`)
    }
    checkLimit(name, value, 1)
  }
  return {
    ...ports,
    limits,
    read: new ReadFiles(),
    roots: (session) => [session.cwd, ...(roots?.(session) ?? [])],
    mayFind: (path, session) => mayFind?.(path, session) ?? true,
  }
}
