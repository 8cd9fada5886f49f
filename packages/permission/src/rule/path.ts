import type { SourceRef } from '@ext/kernel'
import { compilePathPattern, MATCH_ALL, type Matcher, type PathAnchors, resolvePath } from '@ext/kernel/match'
import type { ToolLikenessFound } from './tools.js'

export type PathTest = Matcher['test']

/**
 * The test of a path specifier over absolute, normalised paths.
 * - `dir/**` means the one below the working folder for an allow rule, and one at any depth for deny and ask.
 * - Allow rules take case as it is written even where the file system does not, and so never say more than they show.
 *   Deny and ask rules take composed and decomposed letters as one everywhere.
 */
export function compilePathSpecifier(pattern: string, anchors: PathAnchors, wide: boolean): Matcher {
  if (wide && /^\*{1,2}$/.test(pattern)) return MATCH_ALL
  const anyDepth = wide && /^(?![.~]{1,2}\/|\*)[^/]+\/\*\*$/.test(pattern)
  return compilePathPattern(anyDepth ? `**/${pattern}` : pattern, {
    ...anchors,
    ignoreCase: wide && anchors.ignoreCase,
    ignoreForm: wide || (anchors.ignoreForm ?? false),
  })
}

/** Drive letters, backslashes and control characters: what such a path means is not known here. */
const UNCLEAR_PATH = /[\\\0-\x1f]|^[A-Za-z]:/

/**
 * The paths that a call names, absolute; `undefined` when a field is missing, is no text, or can't be judged.
 * @param anchors relative paths start at its working folder
 */
export function readPaths(
  input: Readonly<Record<string, unknown>>,
  tool: ToolLikenessFound,
  anchors: Pick<PathAnchors, 'cwd' | 'home'>,
): readonly string[] | undefined {
  if (tool.path === undefined) return undefined
  const fields = [tool.path].flat()
  const paths = fields.map((field) => readField(Object.hasOwn(input, field) ? input[field] : undefined, tool, anchors))
  const [path] = paths[0] ?? []
  // A tool that names one place clearly and another one not is not understood.
  if (path === undefined || paths.includes(undefined)) return undefined
  const all = paths.flatMap((each) => each ?? [])
  const glob = tool.glob === undefined ? undefined : input[tool.glob]
  if (typeof glob !== 'string') return all
  // `../../etc/*` leaves the folder that is searched; a way out behind a wildcard can't be followed.
  const folder = glob.replace(/[^/]*[*?[{].*$/s, '')
  if (UNCLEAR_PATH.test(glob) || /\.\.|[{,][/~]/.test(glob.slice(folder.length))) return undefined
  return [...all, resolvePath(folder, { ...anchors, cwd: path })]
}

/** One path or several, absolute; `undefined` if one of them can't be judged, or there is none. */
function readField(
  value: unknown,
  { searches }: ToolLikenessFound,
  anchors: Pick<PathAnchors, 'cwd' | 'home'>,
): readonly string[] | undefined {
  const written: readonly unknown[] = Array.isArray(value) ? value : [value === undefined && searches ? '.' : value]
  const paths = written.flatMap((text) =>
    typeof text === 'string' && text !== '' && !UNCLEAR_PATH.test(text) ? [resolvePath(text, anchors)] : [],
  )
  return paths.length > 0 && paths.length === written.length ? paths : undefined
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
