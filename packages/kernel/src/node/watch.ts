import { existsSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'

/** How files are watched. */
export interface WatchOptions {
  /** How long it has to be quiet before `onChange` is called, in milliseconds. Default 200. */
  readonly debounceMs?: number
  /** A process that has nothing else to wait for ends without it. Default false. */
  readonly background?: boolean
  /** Hears that something can't be watched, for example because the system allows no more watches. */
  readonly onError?: (error: unknown) => void
}

/** Watching that is under way. */
export interface Watching {
  /** Ends it; `onChange` is not called any more, also not for what has changed already. */
  close(): Promise<void>
}

const DEBOUNCE_MS = 200
/** Below a folder that is watched. Skills, the deepest of what is read, are not searched deeper either. */
const MAX_DEPTH = 7
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/**
 * Calls `onChange` after files have changed, appeared or gone, once for changes that come close together. Folders are
 * watched with what is in them, but for `.git` and `node_modules`. What is not there yet, a file or the folders above it,
 * is seen when it comes; editors that save by renaming a new file are understood. Resolves when changes are seen, so start
 * it before reading: what changes in between is then read again.
 * @param paths absolute paths of files and folders
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  { debounceMs = DEBOUNCE_MS, background = false, onError }: WatchOptions = {},
): Promise<Watching> {
  if (paths.length === 0) return { close: async () => {} }
  const { watch } = await import('chokidar')
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const watcher = watch([...new Set(paths.map(watchedFolder))], {
    ignoreInitial: true,
    persistent: !background,
    ignored: (path) => !paths.some((target) => leadsTo(target, path) || isWithin(target, path)),
  })
  // Also for a folder above that comes: what was put into it at once has no event of its own.
  watcher.on('all', () => {
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(onChange, debounceMs)
    if (background) timer.unref()
  })
  watcher.on('error', (error) => onError?.(error))
  await new Promise<void>((resolve) => {
    watcher.once('ready', resolve)
  })
  return {
    close() {
      closed = true
      clearTimeout(timer)
      return watcher.close()
    },
  }
}

/**
 * A folder is watched from the one above it, a file from two above: only so it is seen that the folder of a file comes
 * and goes. If there is none yet, from the nearest that exists.
 */
function watchedFolder(target: string): string {
  let folder = dirname(dirname(target))
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

/** Whether `path` is a folder above `target`. */
function leadsTo(target: string, path: string): boolean {
  return target.startsWith(path.endsWith(sep) ? path : path + sep)
}

/** Whether `path` is `target` or lies in it, not too deep and in no folder that is skipped. */
function isWithin(target: string, path: string): boolean {
  if (path === target) return true
  if (!leadsTo(path, target)) return false
  const steps = relative(target, path).split(sep)
  return steps.length <= MAX_DEPTH && !steps.some((step) => SKIPPED_FOLDERS.has(step))
}
