import type { MayReplace, MergeStrategy } from '../merge.js'
import type { Pace } from '../pace.js'
import type { ConfigSource, FilesPort, Located, Outcome, Reader, Snapshot } from '../types.js'

/**
 * One axis of the extension layer. Three stages, three types: `Input` as written, `Entry` validated, `Compiled` ready
 * to be dispatched.
 */
export interface PipelineDefinition<Input, Entry, Compiled, Context> {
  /** One word, for records and messages: `hooks`, `servers`. */
  readonly axis: string
  readonly readers: readonly Reader<Input>[]
  /**
   * Says whether an entry is well formed. Without a value, at least one error diagnostic says why; an error beside a
   * value is about an entry that takes effect all the same, because leaving it out would be worse.
   */
  validate(input: Located<Input>, context: Context): Outcome<Entry>
  /** The name under which entries of different layers meet. */
  identity(entry: Located<Entry>): string
  /** What happens when they do, unless the entry itself says otherwise. */
  readonly merge: MergeStrategy
  /** What the entry says itself, where the axis lets it: an `override` replaces farther entries also in an axis that appends. */
  mergeOf?(entry: Entry): MergeStrategy | undefined
  /**
   * Whether an entry may replace a farther one of its name. One that may not is left out with an error that names both
   * places. Never asked for managed entries: they always win. Default: yes.
   */
  readonly mayReplace?: MayReplace
  /**
   * True for entries that run something or loosen a limit. From the layers that others can write (plugin, project,
   * local) they take effect only once approved; everything else passes.
   */
  needsConsent(entry: Entry): boolean
  /**
   * False for entries that only switch off what farther layers configure, and for those that something else switches off
   * by name. They merge and are not compiled.
   */
  enabled?(entry: Entry, name: string): boolean
  /** Says what an entry means. Without a value, at least one error diagnostic says why. */
  compile(entry: Located<Entry>, context: Context): Outcome<Compiled>
  /**
   * For an axis that may have thousands of entries: what makes a compiled value again from its entry. Such a value is let go
   * of when memory is short, and made again when somebody asks. Every one has to be the same and without diagnostics, so
   * what depends on the time of the load belongs into the function; there should be few different ones. `undefined`: the
   * value stays. Default: all values stay.
   */
  remake?(compiled: Compiled): Remake<Entry, Compiled> | undefined
  /**
   * The same for an entry that is known to compile without diagnostics before it is: its value is made when somebody asks
   * for the first time. Default: every entry is compiled.
   */
  later?(entry: Located<Entry>, context: Context): Remake<Entry, Compiled> | undefined
}

/** Makes a compiled value again. */
export type Remake<Entry, Compiled> = (entry: Located<Entry>) => Compiled

/** What a pipeline needs of its host. */
export interface LoadHost<Entry> {
  readonly files: FilesPort
  /** Whether a person has approved this entry. Default: nobody has approved anything. */
  approved?(entry: Located<Entry>): boolean
}

/** How a load differs from a first one. */
export interface LoadOptions<Compiled> {
  /**
   * What this pipeline has loaded before: an entry of a file that can't be used any more keeps its last good version. One
   * that was removed is gone, and so is one whose file or source is. Consent is asked again.
   */
  readonly previous?: Snapshot<Compiled>
  /** Of whoever has worked in the same turn before, so that both together are no longer than one may be. */
  readonly pace?: Pace
}

/** How one axis is loaded. */
export interface Pipeline<Entry, Compiled, Context> {
  readonly axis: string
  /**
   * Reads, validates, merges and compiles. Bad configuration never rejects: the entry is left out, its siblings stay,
   * and a diagnostic says why. Rejects with `kernel.reader.unknown` when a source names a dialect without a reader, and
   * with `kernel.snapshot.foreign` when `previous` is not what this pipeline has loaded.
   * @param sources in any order; layers decide, and within a layer the later source wins. A file that is listed twice
   *   in one layer is read once; values of the same name are told apart by a number behind it.
   */
  load(
    sources: readonly ConfigSource[],
    context: Context,
    host: LoadHost<Entry>,
    options?: LoadOptions<Compiled>,
  ): Promise<Snapshot<Compiled>>
}
