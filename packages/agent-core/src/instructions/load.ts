import type { InstructionsKind } from '@ext/kernel/contract'
import type { FilesPort } from '@ext/kernel/types'
import type { InstructionSource, InstructionsFile, LoadedInstructions } from '../types.js'
import { cutToFit } from './cut.js'
import { includesIn } from './includes.js'
import { folderOf, isInside, joined } from './paths.js'

export interface InstructionFilesOptions {
  readonly files: FilesPort
  /** The person's own files for all projects, as absolute paths. They come first. */
  readonly user?: readonly string[]
  /** What `~` stands for in the person's own files. */
  readonly home?: string
  /** Names of project files that are not looked for in any folder, such as `CLAUDE.md`. Default: none. */
  readonly leaveOut?: readonly ProjectFile[]
  /** Of one file. Default 64 KiB. */
  readonly maxFileBytes?: number
  /** Of all files together. Default 128 KiB. */
  readonly maxBytes?: number
}

/** Instruction files that are looked for in the folders of a project. */
export type ProjectFile = 'AGENTS.md' | 'CLAUDE.md' | '.claude/CLAUDE.md' | 'CLAUDE.local.md'

/** In the order in which they count, the weightiest last. */
const PROJECT_FILES: readonly { readonly name: ProjectFile; readonly kind: InstructionsKind }[] = [
  { name: 'AGENTS.md', kind: 'Project' },
  { name: 'CLAUDE.md', kind: 'Project' },
  { name: '.claude/CLAUDE.md', kind: 'Project' },
  { name: 'CLAUDE.local.md', kind: 'Local' },
]

const MAX_FILE_BYTES = 64 * 1024
const MAX_BYTES = 128 * 1024
/** A longer file is not even read. */
const MAX_READ_BYTES = 1024 * 1024
/** A file that is named by one that is named by one … */
const MAX_DEPTH = 5
const MAX_FILES = 100

/**
 * The person's own files, then `AGENTS.md`, `CLAUDE.md`, `.claude/CLAUDE.md` and `CLAUDE.local.md` of each folder from the root
 * of the repository down to the working folder, the nearest last; outside of a repository those of the working folder only.
 *
 * They are texts for the model, and nothing in them is run. `@path` in a file, outside of code, adds the file that it names. What
 * a project's file names, or a link of the project leads to, has to lie in the project.
 */
export function instructionFiles(options: InstructionFilesOptions): InstructionSource {
  return {
    async load(cwd, { signal }) {
      const loader = new Loader(options, signal)
      return loader.load(cwd)
    },
  }
}

class Loader {
  readonly #options: InstructionFilesOptions
  readonly #signal: AbortSignal
  readonly #found: InstructionsFile[] = []
  readonly #notices: string[] = []
  /** Real paths: a link to a file that is there already adds nothing. */
  readonly #seen = new Set<string>()

  constructor(options: InstructionFilesOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  async load(cwd: string): Promise<LoadedInstructions> {
    const { user = [], leaveOut = [], maxFileBytes = MAX_FILE_BYTES, maxBytes = MAX_BYTES } = this.#options
    for (const path of user) await this.#add({ path, kind: 'User', root: undefined })
    const folders = await this.#foldersDownTo(cwd)
    const top = folders[0] ?? cwd
    const root = (await this.#options.files.realPath(top)) ?? top
    for (const folder of folders) {
      for (const { name, kind } of PROJECT_FILES) {
        if (leaveOut.includes(name)) continue
        await this.#add({ path: joined(folder, name), kind, root })
      }
    }
    const { files, notices } = cutToFit(this.#found, { maxFileBytes, maxBytes })
    return { files, notices: [...this.#notices, ...notices] }
  }

  /** From the root of the repository. */
  async #foldersDownTo(cwd: string): Promise<readonly string[]> {
    const folders: string[] = []
    for (let at = cwd; ; at = folderOf(at)) {
      folders.unshift(at)
      const items = await this.#options.files.list(at)
      this.#signal.throwIfAborted()
      if (items?.some(({ name }) => name === '.git')) return folders
      if (at === folderOf(at)) return [cwd]
    }
  }

  /** @param root where a project's file has to be; `undefined` for the person's own, which may be anywhere */
  async #add(
    { path, kind, root }: { readonly path: string; readonly kind: InstructionsKind; readonly root: string | undefined },
    by?: { readonly file: string; readonly written: string; readonly isPath: boolean; readonly depth: number },
  ): Promise<void> {
    const { files, home } = this.#options
    this.#signal.throwIfAborted()
    const named = by ? `@${by.written} in ${by.file}` : path
    const real = await files.realPath(path)
    if (real === undefined) {
      if (by?.isPath) this.#notices.push(`${named}: there is no such file, so it is left out.`)
      return
    }
    if (this.#seen.has(real)) return
    if (root !== undefined && !isInside(real, root)) {
      this.#notices.push(`${named} is left out: it leads out of the project, to ${real}.`)
      return
    }
    const read = await files.readText(real, { maxBytes: MAX_READ_BYTES })
    if (read.failure !== undefined) {
      const isMention = by !== undefined && !by.isPath && read.failure === 'not-a-file'
      if (!isMention) this.#notices.push(`${named} is left out: ${read.message}`)
      return
    }
    const { text } = read
    if (this.#found.length === MAX_FILES) {
      this.#notices.push(`${named} is left out: ${MAX_FILES} files of instructions are the limit.`)
      return
    }
    this.#seen.add(real)
    if (text.trim() !== '') {
      this.#found.push(
        by ? { path: real, kind, reason: 'include', text } : { path, kind, reason: 'session_start', text },
      )
    }
    const depth = (by?.depth ?? 0) + 1
    for (const include of includesIn(text, path, root === undefined ? home : undefined)) {
      if (depth > MAX_DEPTH) {
        this.#notices.push(`@${include.written} in ${path} is left out: files may name files ${MAX_DEPTH} deep.`)
        continue
      }
      await this.#add({ path: include.path, kind, root }, { file: path, ...include, depth })
    }
  }
}
