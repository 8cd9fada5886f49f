/**
 * Types of the pipeline: where configuration comes from, what was found, and what is reported about it.
 * Type-only entry (`@ext/kernel/types`); importing it costs nothing at run time.
 * @module
 */
import type { FilesPort } from './ports.js'

/**
 * Where configuration comes from, farthest first. A nearer layer wins a conflict; `managed` always has the last word.
 * `local` is the project's uncommitted file and needs approval like the project, since a repository can ship one.
 */
export type LayerName = 'built-in' | 'plugin' | 'user' | 'project' | 'local' | 'command-line' | 'session' | 'managed'

/** A place in configuration. Lines and columns start at 1; columns count UTF-16 units, as editors do. */
export interface Source {
  readonly layer: LayerName
  /** Absolute path. Absent for values that came from no file; `name` then says where from. */
  readonly file?: string
  /** What to call a source without a file, for example `--allow`. */
  readonly name?: string
  readonly line?: number
  readonly column?: number
  readonly endLine?: number
  readonly endColumn?: number
}

/** `error`: something that was configured fails · `warning`: it works, but hardly as meant · `info`: good to know. */
export type Severity = 'error' | 'warning' | 'info'

/** Something to say about configuration. A value, never thrown and never printed by a library. */
export interface Diagnostic {
  /** Stable and dotted, for example `hooks.event.unknown`. */
  readonly code: string
  readonly severity: Severity
  /** What was found, in one sentence. */
  readonly message: string
  /** How to fix it. */
  readonly hint?: string
  /** What would have been accepted. */
  readonly expected?: readonly string[]
  readonly source: Source
  /** Id of the entry it is about. What became of that entry is in the records of the snapshot. */
  readonly entry?: string
  /** JSON pointer (RFC 6901) of the value inside its file. */
  readonly pointer?: string
  readonly related?: readonly { readonly message: string; readonly source: Source }[]
  /** Where more is written about it. */
  readonly url?: string
}

/** A value, or the reasons why there is none. Warnings may come with a value. */
export interface Outcome<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}

/** One file, folder or in-memory value that a reader of its dialect can read. */
export type ConfigSource = FileSource | FolderSource | ValueSource

interface SourceBase {
  readonly layer: LayerName
  /** Selects the reader. */
  readonly dialect: string
}

/** A file of configuration. */
export interface FileSource extends SourceBase {
  readonly kind: 'file'
  /** Absolute path. A file that does not exist is recorded as missing and is no error. */
  readonly path: string
}

/** A folder whose files are configuration, such as one of skills. */
export interface FolderSource extends SourceBase {
  readonly kind: 'folder'
  readonly path: string
}

/** Configuration that is a value already, such as that of an embedder or the command line. */
export interface ValueSource extends SourceBase {
  readonly kind: 'value'
  readonly value: unknown
  /** What diagnostics call it, for example `--allow` or `createHooks({layers})`. */
  readonly name: string
}

/** What an entry keeps of the source it came from. */
export interface SourceRef {
  readonly layer: LayerName
  readonly dialect: string
  readonly file?: string
  readonly name?: string
}

/** A value that knows where it was written, wherever it travels. */
export interface Located<T> {
  /** Unique within its axis: layer, file and pointer. */
  readonly id: string
  readonly value: T
  readonly source: SourceRef
  /** JSON pointer of the value inside its file. */
  readonly pointer: string
  /**
   * The place of a part of the value.
   * @param pointer relative JSON pointer, `''` (default) for the whole value; falls back to the nearest parent that exists
   * @param part `'key'` points at the property name instead of its value
   */
  at(pointer?: string, part?: 'key' | 'value'): Source
}

/**
 * What became of an entry that was found.
 * - `loaded`: takes effect · `broken`: an error diagnostic says why not
 * - `shadowed`: a nearer layer's entry of the same name replaced it
 * - `untrusted`: waits for the consent of a person
 * - `disabled`: configuration switched it off
 */
export type Verdict = 'loaded' | 'broken' | 'shadowed' | 'untrusted' | 'disabled'

/**
 * An entry that was found, with what became of it. After a reload there may be two for one id: what stands in the file
 * now is `broken`, and its last good version, marked `stale`, is `loaded`.
 */
export interface EntryRecord {
  readonly axis: string
  readonly id: string
  readonly name: string
  readonly verdict: Verdict
  /** Where it stands; for a stale one, where it stood. */
  readonly source: Source
  /** It is the last good version of an entry whose file can't be used any more. */
  readonly stale?: true
}

/** A file that was looked for, with what became of it. */
export interface FileRecord {
  readonly file: string
  readonly layer: LayerName
  readonly dialect: string
  readonly state: 'read' | 'missing' | 'failed'
}

/** An entry that was found but can't even be handed on as a value, for example a file without its header. */
export interface BrokenEntry {
  readonly id: string
  readonly name: string
  readonly source: Source
}

/** What a reader found in one source. */
export interface ReadResult<I> {
  readonly entries: readonly Located<I>[]
  readonly broken: readonly BrokenEntry[]
  readonly diagnostics: readonly Diagnostic[]
  readonly files: readonly FileRecord[]
}

/** Understands one dialect: turns a source into entries of the axis. Must not throw for anything a file can hold. */
export interface Reader<I> {
  readonly dialect: string
  read(source: ConfigSource, files: FilesPort): Promise<ReadResult<I>>
}

/** An entry that takes effect. */
export interface SnapshotEntry<C> {
  readonly id: string
  readonly name: string
  readonly value: C
  readonly source: SourceRef
  at(pointer?: string, part?: 'key' | 'value'): Source
}

/** The compiled state of one axis. Immutable; a reload makes a new one and swaps it in one assignment. */
export interface Snapshot<C> {
  readonly axis: string
  /** Entries that take effect, farthest layer first. */
  readonly entries: readonly SnapshotEntry<C>[]
  /** Every entry that was found, with what became of it. */
  readonly records: readonly EntryRecord[]
  readonly files: readonly FileRecord[]
  readonly diagnostics: readonly Diagnostic[]
  /**
   * A managed file is there and can't be used, or an entry of it can't. What needs consent in user, plugin, project and
   * local files is off then; a host that nobody sits at answers questions with no.
   */
  readonly managedBroken: boolean
}

export type * from './ports.js'
