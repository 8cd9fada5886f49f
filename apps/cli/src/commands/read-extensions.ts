import { compose, type Extensions } from '../compose.js'
import type { Io } from '../io.js'

/** What a command is told that reads the configuration and starts nothing. */
export interface ReadOptions {
  readonly project: string
  /** Default: what nobody has approved does not count. */
  readonly trustProject?: boolean
}

/** The extensions of a project as its files say, without its servers. The caller closes them. */
export function readExtensions({ project, trustProject = false }: ReadOptions, io: Io): Promise<Extensions> {
  return compose({ project, trustProject, connect: false, report: (text) => io.err(`ext: ${text}`) })
}
