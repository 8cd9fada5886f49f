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

/** The extensions of a project as its files say, without its servers, for as long as something is done with them. */
export async function withExtensions<T>(
  { project, trustProject = false, hookFile }: ReadOptions,
  io: Io,
  use: (extensions: Extensions) => Promise<T>,
): Promise<T> {
  const only = hookFile ? { hookSource: hookFile.source } : {}
  const report = (text: string) => io.err(`ext: ${text}`)
  const extensions = await compose({ project, trustProject, connect: false, ...only, report })
  try {
    return await use(extensions)
  } finally {
    await extensions.close()
  }
}
