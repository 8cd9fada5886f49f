import {
  createPace,
  definePipeline,
  inTurns,
  isForeignLayer,
  lookAtFolders,
  type Pipeline,
  type Remake,
} from '@ext/kernel'
import type { SimpleHeader } from '@ext/kernel/frontmatter'
import type {
  ConfigSource,
  Diagnostic,
  FilesPort,
  FolderSource,
  ReadResult,
  Snapshot,
  SourceRef,
} from '@ext/kernel/types'
import { compileSkill, isTrusted } from './compile.js'
import type { CompileContext } from './config/context.js'
import { nameOf, type SkillHeader, saysMore, validateHeader } from './config/header.js'
import { findSkills } from './find/find.js'
import type { SearchLimits } from './find/limits.js'
import { SkillTraces, type Traces } from './find/traces.js'
import { foldName } from './names.js'
import { readHeaders } from './reader.js'
import type { Skill } from './types.js'

export interface SnapshotHost {
  readonly files: FilesPort
  readonly context: CompileContext
  readonly limits: SearchLimits
  /** Folded names of skills that are switched off. */
  readonly disabled: ReadonlySet<string>
}

export interface ReadSkills {
  readonly snapshot: Snapshot<Skill>
  /** Ids of the entries that say the same as the one which takes effect in their place. */
  readonly copies: ReadonlySet<string>
}

/** What was looked at for a snapshot, with what tells whether it is still the same. */
interface Seen {
  readonly folders: readonly Traces[]
  readonly skills: readonly SkillTraces[]
  readonly context: string
}

/**
 * Reads all roots, each time with what was read before. One call at a time. If nothing has changed, and everything
 * could be told by its stamp, the snapshot is the one before.
 */
export function snapshotReader(roots: readonly FolderSource[], host: SnapshotHost): () => Promise<ReadSkills> {
  const { files, context, limits } = host
  const reads = new Map<ConfigSource, Promise<ReadResult<unknown>>>()
  const pipeline = skillsPipeline(reads, host)
  let previous: Snapshot<Skill> | undefined
  let last: ReadSkills | undefined
  let seen: Seen | undefined

  return async () => {
    if (last && seen && (await isSame(seen, files, contextKey(roots, context, last.snapshot)).catch(() => false))) {
      return last
    }
    const pace = createPace()
    const found = await findSkills(roots, files, limits, pace)
    const traces: SkillTraces[] = []
    const simple: (readonly SimpleHeader[])[] = []
    for (const [root, skills] of found) {
      const reading = readHeaders(root, skills, { files, language: context.language, maxBytes: limits.fileBytes }, pace)
      // A port that throws breaks its promise; the pipeline reports that for the whole source.
      reads.set(
        root,
        reading.then(({ result }) => result),
      )
      try {
        const read = await reading
        traces.push(read.traces)
        simple.push(read.simple)
      } catch {
        traces.push(unknown())
      }
    }
    previous = await pipeline.load(roots, context, { files }, { pace, ...(previous ? { previous } : {}) })
    reads.clear()
    for (const headers of simple) {
      await inTurns(headers, pace, (header) => {
        header.settle()
      })
    }
    if (pace.isDue()) await pace.turn()
    const copies = await findCopies(previous.diagnostics, files, limits.fileBytes)
    const diagnostics =
      copies.size === 0 ? previous.diagnostics : previous.diagnostics.filter((each) => !copies.has(each))
    const snapshot = withDiagnostics(previous, diagnostics)
    const folders = [...found.values()].map((each) => each.folders)
    seen = { folders, skills: traces, context: contextKey(roots, context, snapshot) }
    last = { snapshot, copies: new Set([...copies].flatMap(({ entry }) => entry ?? [])) }
    return last
  }
}

function withDiagnostics(snapshot: Snapshot<Skill>, diagnostics: readonly Diagnostic[]): Snapshot<Skill> {
  const { axis, entries, managedBroken } = snapshot
  return Object.freeze({
    axis,
    entries,
    // Those of the snapshot are made when somebody asks.
    get records() {
      return snapshot.records
    },
    get files() {
      return snapshot.files
    },
    diagnostics,
    managedBroken,
  })
}

function skillsPipeline(
  reads: ReadonlyMap<ConfigSource, Promise<ReadResult<unknown>>>,
  { disabled, context }: SnapshotHost,
): Pipeline<SkillHeader, Skill, CompileContext> {
  const remakeTrusted = remaker(context, true)
  const remakeUntrusted = remaker(context, false)
  const nothing: ReadResult<unknown> = { entries: [], broken: [], diagnostics: [], files: [] }
  return definePipeline({
    axis: 'skills',
    // The search needs all sources at once, so the reader only hands over what it has found.
    readers: [{ dialect: 'skills', read: async (root) => reads.get(root) ?? nothing }],
    validate: validateHeader,
    identity: (entry) => foldName(nameOf(entry)),
    merge: 'override',
    // Reading a skill runs nothing. What it grants and runs waits for trust, which is asked when it is compiled.
    needsConsent: () => false,
    enabled: (_, name) => !disabled.has(name),
    compile: (entry, context) => compileSkill(entry, context),
    remake: (skill) => {
      if (!isPlain(skill)) return undefined
      return skill.trusted ? remakeTrusted : remakeUntrusted
    },
    later: ({ value, source }) => {
      if (saysMore(value)) return undefined
      return isTrusted(source, context) ? remakeTrusted : remakeUntrusted
    },
  })
}

/** Nothing but its header says what it is, and making it again takes no time. */
function isPlain({ paths, grants, disallowed, restrict }: Skill): boolean {
  return !paths && grants.length + disallowed.length + restrict.length === 0
}

/** What makes a skill again. Whether its source was trusted stays as it was at the load. */
function remaker(context: CompileContext, trusted: boolean): Remake<SkillHeader, Skill> {
  const then = { ...context, trusted: () => trusted }
  return (entry) => {
    const { id, value, source, pointer } = entry
    // Taken once: each time that somebody asks, the header is read again.
    const taken: typeof entry = { id, value, source, pointer, at: (at, part) => entry.at(at, part) }
    const { value: skill } = compileSkill(taken, then)
    if (!skill) throw new TypeError('What was compiled once can be compiled again.')
    return skill
  }
}

/** Of a source that could not be read: whether it is the same again can't be known. */
function unknown(): SkillTraces {
  const traces = new SkillTraces()
  traces.add('', undefined, undefined)
  return traces
}

async function isSame(seen: Seen, files: FilesPort, context: string): Promise<boolean> {
  const { bulk } = files
  if (!bulk || context !== seen.context || !seen.skills.every(({ complete }) => complete)) return false
  for (const { unknown } of seen.folders) {
    // A source that is missing has no stamp, and is the same for as long as it can't be listed.
    const looks = await lookAtFolders(files, unknown)
    if (looks.some(({ state }) => state === 'listed')) return false
  }
  const pace = createPace()
  const chunks = [...seen.folders.map((traces) => [traces.looks()]), ...seen.skills.map((traces) => traces.looks())]
  for (const chunk of chunks) {
    for (const looks of chunk) {
      if (!(await bulk.areSame(looks))) return false
      if (pace.isDue()) await pace.turn()
    }
  }
  return true
}

/** What the answers of the host have been, which count as much as the files. Of skills of one's own nobody asks. */
function contextKey(
  roots: readonly FolderSource[],
  { trusted, knownTools }: CompileContext,
  { entries }: Snapshot<Skill>,
): string {
  const answer = (source: SourceRef): string => (isForeignLayer(source.layer) && trusted(source) ? '1' : '')
  const flags = roots.some(({ layer }) => isForeignLayer(layer))
    ? entries.map(({ source }) => answer(source)).join(',')
    : ''
  return JSON.stringify([flags, knownTools() ?? null])
}

/** Those that say no more than that the same file stands in two places. */
async function findCopies(
  diagnostics: readonly Diagnostic[],
  files: FilesPort,
  maxBytes: number,
): Promise<ReadonlySet<Diagnostic>> {
  const copies = new Set<Diagnostic>()
  for (const diagnostic of diagnostics) {
    const { code, source, related } = diagnostic
    const other = related?.[0]?.source.file
    if (code !== 'config.entry.shadowed' || source.file === undefined || other === undefined) continue
    const read = async (path: string) => files.readText(path, { maxBytes })
    const [a, b] = await Promise.all([source.file, other].map((path) => read(path).catch(() => undefined)))
    if (a?.text !== undefined && a.text === b?.text) copies.add(diagnostic)
  }
  return copies
}
