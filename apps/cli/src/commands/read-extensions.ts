import { compose, type Extensions } from '../compose.js'
import type { Io } from '../io.js'
import type { HookFile } from './hooks/one-file.js'

/** What a command is told that reads the configuration and starts nothing. */
export interface ReadOptions {
  readonly project: string
  /** Default: what nobody has approved does not count. */
  readonly trustProject?: boolean
  /** Only the hooks of this file, and the administrator's. */
  readonly hookFile?: HookFile
}

/** The extensions of a project as its files say, without its servers. The caller closes them. */
export function readExtensions({ project, trustProject = false, hookFile }: ReadOptions, io: Io): Promise<Extensions> {
  const only = hookFile ? { hookSource: hookFile.source } : {}
  return compose({ project, trustProject, connect: false, ...only, report: (text) => io.err(`ext: ${text}`) })
}

/** The same for as long as something is done with them. */
export async function withExtensions(
  options: ReadOptions,
  io: Io,
  use: (extensions: Extensions) => Promise<number>,
): Promise<number> {
  const extensions = await readExtensions(options, io)
  try {
    return await use(extensions)
  } finally {
    await extensions.close()
  }
}
