import type { ClockPort, EditFilesPort, FilesPort, ReadText } from '../types.js'
import type { FileDifference, Tracked } from './types.js'

/** When a file counts as written. */
export interface TrackOptions {
  readonly clock: ClockPort
  /** How long a file has to stay the same, in milliseconds. Default 50. */
  readonly quietMs?: number
  /** How long `changes` waits for that; what does not come to rest is left for another look. Default 500. */
  readonly patienceMs?: number
}

/** Files that are read as they were when they were taken over. */
export interface TrackedFiles extends Tracked {
  /**
   * Gives of a tracked file what was taken over: what was read first, and later what {@link Tracked.take} was given. So all
   * who read it see the same, and nobody sees what somebody may still refuse. Other files are as they are.
   */
  readonly files: FilesPort
  /**
   * Edits of one's own are no changes: they are taken over as they are written. Unless the file already held something that
   * was not taken over; then all of it is a change.
   */
  editing(edit: EditFilesPort): EditFilesPort
  /** What was taken over, if the file was read. */
  taken(path: string): ReadText | undefined
  /** What a difference that was looked at would take over. */
  text(difference: FileDifference): ReadText | undefined
}

/**
 * Keeps files as they were taken over. Whatever way a file is written, by renaming, through a link or in pieces, what counts
 * is its content.
 * @param paths absolute
 */
export function trackFiles(
  files: FilesPort,
  paths: readonly string[],
  { clock, quietMs = 50, patienceMs = 500 }: TrackOptions,
): TrackedFiles {
  const tracked = new Set(paths)
  const taken = new Map<string, ReadText>()
  const reading = new Map<string, Promise<ReadText>>()
  const seen = new Map<string, ReadText>()
  /** Paths that are being edited here, and how often. */
  const editing = new Map<string, number>()

  const firstRead = (path: string): Promise<ReadText> => {
    const under = reading.get(path)
    if (under) return under
    const read = files.readText(path).then((text) => {
      // An edit of one's own may have been quicker.
      if (!taken.has(path)) taken.set(path, text)
      reading.delete(path)
      return taken.get(path) ?? text
    })
    reading.set(path, read)
    return read
  }

  const look = async (): Promise<ReadonlyMap<string, ReadText>> => {
    const read = [...tracked].filter((path) => taken.has(path))
    const looks = read.map(async (path) => [path, await files.readText(path)] as const)
    const differing = (await Promise.all(looks)).filter(([path, text]) => {
      const before = taken.get(path)
      return !editing.has(path) && before !== undefined && !isSame(before, text)
    })
    return new Map(differing)
  }

  const wait = () => new Promise<void>((resolve) => void clock.after(quietMs, resolve))

  return {
    files: {
      readText(path, options) {
        if (!tracked.has(path) || options?.maxBytes !== undefined) return files.readText(path, options)
        const text = taken.get(path)
        return text ? Promise.resolve(text) : firstRead(path)
      },
      list: (path) => files.list(path),
      realPath: (path) => files.realPath(path),
      isExecutable: (path) => files.isExecutable(path),
    },
    async changes() {
      let found = await look()
      const deadline = clock.now() + patienceMs
      const calm = new Map<string, number>()
      const isCalm = (path: string, text: ReadText) => (calm.get(path) ?? 0) >= (text.text === '' ? LOOKS_EMPTY : 1)
      while (found.size > 0 && ![...found].every(([path, text]) => isCalm(path, text))) {
        if (clock.now() >= deadline) {
          found = new Map([...found].filter(([path, text]) => isCalm(path, text)))
          break
        }
        await wait()
        const again = await look()
        for (const [path, text] of again) calm.set(path, isSame(found.get(path), text) ? (calm.get(path) ?? 0) + 1 : 0)
        found = again
      }
      return [...found].map(([path, text]) => {
        seen.set(path, text)
        return { path, change: changeOf(taken.get(path), text), version: versionOf(text) }
      })
    },
    take(difference) {
      const { path, version } = difference
      const text = seen.get(path)
      // What was looked at since then is another difference.
      if (text && versionOf(text) === version) taken.set(path, text)
    },
    taken: (path) => taken.get(path),
    text({ path, version }) {
      const text = seen.get(path)
      return text && versionOf(text) === version ? text : undefined
    },
    editing: (inner) => ({
      async edit(path, change) {
        editing.set(path, (editing.get(path) ?? 0) + 1)
        try {
          let before: ReadText | undefined
          let next: string | undefined
          const result = await inner.edit(path, async (text) => {
            before = text === undefined ? MISSING : { text }
            next = await change(text)
            return next
          })
          const known = taken.get(path)
          if (result.written && next !== undefined && known && isSame(known, before)) taken.set(path, { text: next })
          return result
        } finally {
          const others = (editing.get(path) ?? 1) - 1
          if (others > 0) editing.set(path, others)
          else editing.delete(path)
        }
      },
    }),
  }
}

/** Whoever writes a file empties it first, so that an empty one is looked at more often before it is believed. */
const LOOKS_EMPTY = 4

const MISSING: ReadText = { failure: 'missing', message: 'The file does not exist.' }

function isSame(a: ReadText | undefined, b: ReadText | undefined): boolean {
  return a?.text === b?.text && a?.failure === b?.failure
}

function versionOf({ text, failure }: ReadText): string {
  return text === undefined ? `failure:${failure}` : `text:${text}`
}

function changeOf(before: ReadText | undefined, now: ReadText): FileDifference['change'] {
  if (now.failure === 'missing') return 'unlink'
  return before?.failure === 'missing' ? 'add' : 'change'
}
