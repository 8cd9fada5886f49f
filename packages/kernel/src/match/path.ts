import { compileGitignore } from './gitignore.js'
import type { Matcher } from './matcher.js'

/** What the anchors of a pattern and a relative path stand for. Absolute paths with `/`. */
export interface PathAnchors {
  readonly cwd: string
  readonly home: string
  /** Folder of the file that the pattern is written in. */
  readonly sourceDir: string
  /** True on file systems where names that differ in case are the same file. */
  readonly ignoreCase: boolean
  /** True on file systems where composed and decomposed letters are the same name. Default false. */
  readonly ignoreForm?: boolean
}

/** Which names are the same file, by what the file systems of a platform (as Node names it) usually do. */
export function samenessOfNames(platform: string): Required<Pick<PathAnchors, 'ignoreCase' | 'ignoreForm'>> {
  return { ignoreCase: platform === 'darwin' || platform === 'win32', ignoreForm: platform === 'darwin' }
}

/** Nobody writes a pattern of this length, and the time of a test grows with it. UTF-16 units. */
const MAX_PATTERN = 4096

/**
 * A path pattern with gitignore meaning below its anchor: `//p` from the root, `~/p` from home, `/p` from the folder
 * of the file that the pattern is written in, `./p` from the working folder, and `p` below the working folder at any
 * depth, as gitignore has it for a name without a slash. A pattern holds for what it names and for everything below;
 * the anchor itself is never matched. There is no negation and no comment: a leading `!` or `#` is part of the name.
 * What is tested is a path as {@link resolvePath} takes it: `..` is resolved before anything is compared. A test takes
 * time in proportion to the path, whatever the pattern; one of more than 4,096 characters never matches.
 */
export function compilePathPattern(pattern: string, anchors: PathAnchors): Matcher {
  const { base, rest } = anchor(pattern, anchors)
  const { ignoreCase, ignoreForm = false } = anchors
  const form = (text: string) => (ignoreForm ? text.normalize('NFC') : text)
  const { matches, never } =
    rest.length > MAX_PATTERN
      ? { matches: () => false, never: `it has ${rest.length} characters, and ${MAX_PATTERN} are the limit` }
      : compileGitignore(form(rest), ignoreCase)
  const fold = (name: string) => (ignoreCase ? name.toLowerCase() : name)
  const root = resolvedNames(form(base), anchors).map(fold)
  return {
    text: pattern,
    ...(never === undefined ? {} : { never }),
    test(path) {
      const names = resolvedNames(form(path), anchors)
      // By name, for folding can change the length of one.
      if (names.length <= root.length || root.some((name, at) => name !== fold(names[at] ?? ''))) return false
      return matches(names.slice(root.length))
    },
  }
}

function anchor(pattern: string, anchors: PathAnchors): { readonly base: string; readonly rest: string } {
  if (pattern.startsWith('//')) return { base: '/', rest: pattern.slice(1) }
  if (pattern.startsWith('~/')) return { base: anchors.home, rest: pattern.slice(1) }
  if (pattern.startsWith('/')) return { base: anchors.sourceDir, rest: pattern }
  if (pattern.startsWith('./')) return { base: anchors.cwd, rest: pattern.slice(1) }
  return { base: anchors.cwd, rest: pattern }
}

/** The absolute path, with `~`, `.` and `..` resolved by text alone (links are the caller's question). */
export function resolvePath(path: string, anchors: Pick<PathAnchors, 'cwd' | 'home'>): string {
  return `/${resolvedNames(path, anchors).join('/')}`
}

function resolvedNames(path: string, anchors: Pick<PathAnchors, 'cwd' | 'home'>): readonly string[] {
  const absolute =
    path === '~' || path.startsWith('~/')
      ? anchors.home + path.slice(1)
      : path.startsWith('/')
        ? path
        : `${anchors.cwd}/${path}`
  const names: string[] = []
  for (const name of absolute.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names
}
