import type { ProcessPort } from '../types.js'
import { Launcher } from './process-launch.js'
import { run } from './process-run.js'
import { start } from './process-start.js'

/** What {@link nodeProcess} can be told. */
export interface NodeProcessOptions {
  /**
   * Hears, once, in a sentence why no watchdog runs, for example because there is no `sh`. Children run all the same,
   * but can outlive a host that is killed.
   */
  readonly report?: (message: string) => void
  /** Whose ways of starting and ending children to use. Default: this machine's, `process.platform`. */
  readonly platform?: string
}

/**
 * Real children, each the leader of a process group of its own. With the first one a watchdog is started, a small shell
 * that ends what still runs once this process is gone, however it ended. Use one port for all children of a process:
 * each has a watchdog of its own.
 */
export function nodeProcess(options: NodeProcessOptions = {}): ProcessPort {
  const { report = () => {}, platform = process.platform } = options
  const launcher = new Launcher(platform, report)
  return { run: (request) => run(request, launcher), start: (request) => start(request, launcher) }
}
