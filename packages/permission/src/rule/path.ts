import type { SourceRef } from '@ext/kernel'
import { compilePathPattern, type PathAnchors, resolvePath } from '@ext/kernel/match'
import type { ToolLikenessFound } from './tools.js'

/** A path specifier, compiled. */
export interface PathTest {
  /** @param path absolute, normalised */
  test(path: string): boolean
  /** What every path that it matches has in it, so that an index can leave the rule aside. */
  readonly key: PathKey
  /** A path that it matches, in this folder if it floats: for finding out whether a glob may lead to one. */
  readonly sample: (folder: string) => string
  /** The folder in which it starts, absolute. */
  readonly base: string
  /** It names a place of its own: the first name below its anchor is no wildcard, and the anchor is `/` or home. */
  readonly farPlace: boolean
  /** It matches every path. */
  readonly everything: boolean
  readonly never?: string
}

/** The folder or file itself is above or at `at`; or one of the names is `name`; or nothing is known. */
export type PathKey =
  | { readonly kind: 'at'; readonly path: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'any' }

/**
 * The test of a path specifier over absolute, normalised paths.
 * - `dir/**` means the one below the working folder for an allow rule, and one at any depth for deny and ask.
 * - Allow rules take case as it is written even where the file system does not, and so never say more than they show.
 *   Deny and ask rules take composed and decomposed letters as one everywhere.
 */
export function compilePathSpecifier(pattern: string, anchors: PathAnchors, wide: boolean): PathTest {
  if (wide && /^\*{1,2}$/.test(pattern)) {
    return {
      test: () => true,
      key: { kind: 'any' },
      sample: (folder) => `${folder}/x`,
      base: anchors.cwd,
      farPlace: false,
      everything: true,
    }
  }
  const anyDepth = wide && /^(?![.~]{1,2}\/|\*)[^/]+\/\*\*$/.test(pattern)
  const written = anyDepth ? `**/${pattern}` : pattern
  const matcher = compilePathPattern(written, {
    ...anchors,
    ignoreCase: wide && anchors.ignoreCase,
    ignoreForm: wide || (anchors.ignoreForm ?? false),
  })
  const { base, rest } = anchorOf(written, anchors)
  const floats = !/\/./.test(rest) || rest.startsWith('**/')
  const sample = rest
    .replace(/^\*\*\//, '')
    .replace(/\*+/g, 'x')
    .replaceAll('?', 'x')
    .replace(/\\(.)/g, '$1')
  return {
    test: matcher.test,
    key: keyOf(base, rest),
    base: base === '' ? '/' : base,
    sample: (folder) => resolvePath(`${floats ? folder : base}/${sample}`, anchors),
    everything: false,
    farPlace: /^(?:\/\/|~\/)[^/*?[\\]+(?:\/|$)/.test(written),
    ...(matcher.never === undefined ? {} : { never: matcher.never }),
  }
}

function anchorOf(pattern: string, anchors: PathAnchors): { readonly base: string; readonly rest: string } {
  if (pattern.startsWith('//')) return { base: '', rest: pattern.slice(1) }
  if (pattern.startsWith('~/')) return { base: anchors.home, rest: pattern.slice(1) }
  if (pattern.startsWith('./')) return { base: anchors.cwd, rest: pattern.slice(1) }
  return { base: pattern.startsWith('/') ? anchors.sourceDir : anchors.cwd, rest: pattern }
}

function keyOf(base: string, rest: string): PathKey {
  const name = /^(?:\*\*\/)?([^/*?[\\]*[^/*?[\\\s])(?:\/\*\*)?$/.exec(rest)
  const [whole, only] = name ?? []
  if (only !== undefined && (whole === only || whole?.startsWith('**/'))) return { kind: 'name', name: foldPath(only) }
  const [literal = ''] = /^[^*?[\\]*/.exec(rest) ?? []
  const folder = literal.length === rest.length ? literal : literal.slice(0, literal.lastIndexOf('/') + 1)
  // A pattern without a slash of its own floats, and then its beginning says nothing.
  if (!/\/./.test(rest) || rest.startsWith('**/')) return { kind: 'any' }
  const path = foldPath(resolvePath(`${base}/${folder.trimEnd()}`, { cwd: '/', home: '/' }))
  return path === '/' ? { kind: 'any' } : { kind: 'at', path }
}

/** Coarser than any file system: only for finding what may match. */
export function foldPath(path: string): string {
  return (/^[\x20-\x7e]*$/.test(path) ? path : path.normalize('NFC')).toLowerCase()
}

/** Drive letters, backslashes, control characters, the links of processes: what such a path means is not known here. */
const UNCLEAR_PATH = /[\\\0-\x1f]|^[A-Za-z]:|^[./]*\/proc\/[^/]+\/(?:[^/]+\/)*(?:root|cwd|fd)(?:\/|$)/

/** A path that a call names. */
export interface NamedPath {
  /** Absolute, `.` and `..` resolved by text. */
  readonly path: string
  /** With its `..` left in it, where one of them leads out of a folder that may be a link. */
  readonly unresolved?: string
}

function named(text: string, anchors: Pick<PathAnchors, 'cwd' | 'home'>): NamedPath {
  const path = resolvePath(text, anchors)
  if (!text.includes('..') || !leadsOut(text.split('/'))) return { path }
  const home = text.startsWith('~/') ? anchors.home + text.slice(1) : text
  return { path, unresolved: home.startsWith('/') ? home : `${anchors.cwd}/${home}` }
}

/** Whether a `..` stands behind a name. */
function leadsOut(names: readonly string[]): boolean {
  const first = names.findIndex((name) => name !== '' && name !== '.' && name !== '..')
  return first !== -1 && names.includes('..', first)
}

/**
 * The paths that a call names, absolute; `undefined` when a field is missing, is no text, or can't be judged.
 * @param anchors relative paths start at its working folder
 */
export function readPaths(
  input: Readonly<Record<string, unknown>>,
  tool: ToolLikenessFound,
  anchors: Pick<PathAnchors, 'cwd' | 'home'>,
): readonly NamedPath[] | undefined {
  if (tool.path === undefined) return undefined
  const fields = [tool.path].flat()
  const paths = fields.map((field) => readField(Object.hasOwn(input, field) ? input[field] : undefined, tool, anchors))
  const [first] = paths[0] ?? []
  // A tool that names one place clearly and another one not is not understood.
  if (first === undefined || paths.includes(undefined)) return undefined
  const all = paths.flatMap((each) => each ?? [])
  const glob = tool.glob === undefined ? undefined : input[tool.glob]
  if (typeof glob !== 'string') return all
  // `../../etc/*` leaves the folder that is searched; a way out behind a wildcard can't be followed.
  const folder = glob.replace(/[^/]*[*?[{].*$/s, '')
  if (UNCLEAR_PATH.test(glob) || /\.\.|[{,][/~]/.test(glob.slice(folder.length))) return undefined
  const inFolder = { ...anchors, cwd: first.path }
  // What the search finds is not known, but something that it would find is: of `**/.env` a file of this name.
  const sample = glob
    .replace(/\*\*\//g, '')
    .replace(/\*+/g, 'x')
    .replaceAll('?', 'x')
  return [...all, named(folder, inFolder), ...(sample === folder ? [] : [named(sample, inFolder)])]
}

/** One path or several, absolute; `undefined` if one of them can't be judged, or there is none. */
function readField(
  value: unknown,
  { searches }: ToolLikenessFound,
  anchors: Pick<PathAnchors, 'cwd' | 'home'>,
): readonly NamedPath[] | undefined {
  const written: readonly unknown[] = Array.isArray(value) ? value : [value === undefined && searches ? '.' : value]
  const paths = written.map((text) => (typeof text === 'string' ? readings(text) : []))
  return paths.length > 0 && paths.every((each) => each.length > 0)
    ? paths.flat().map((path) => named(path, anchors))
    : undefined
}

/**
 * What a text may name. A URL of a file is that file to some tools, and an odd relative path to others; what any other
 * scheme names is no path that rules know.
 */
function readings(text: string): readonly string[] {
  if (text === '' || UNCLEAR_PATH.test(text)) return []
  if (!text.includes('://') || !/^[a-z][a-z\d+.-]*:/i.test(text)) return [text]
  try {
    const { protocol, host, pathname } = new URL(text)
    const path = decodeURIComponent(pathname)
    return protocol === 'file:' && host === '' && !UNCLEAR_PATH.test(path) ? [text, path] : []
  } catch {
    return []
  }
}

/** A file deep below a folder: what matches it speaks of everything in there. */
export function somethingBelow(folder: string): string {
  return `${folder === '/' ? '' : folder}/\u{f8ff}/\u{f8ff}`
}

/**
 * Where `/path` starts in the rules of a source: the folder of its file. A file in the `.claude` or `.ext` folder of a
 * project speaks about the project, so there it is the project's folder. `undefined` for sources without a file.
 */
export function anchorFolder({ file, layer }: SourceRef): string | undefined {
  if (file === undefined) return undefined
  const folder = parent(file)
  const ofProject = layer === 'project' || layer === 'local'
  return ofProject && /\/\.(?:claude|ext)$/.test(folder) ? parent(folder) : folder
}

function parent(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}
