import ignore from 'ignore'

/** What the anchors of a pattern and a relative path stand for. Absolute paths with `/`. */
export interface PathAnchors {
  readonly cwd: string
  readonly home: string
  /** Folder of the file that the pattern is written in. */
  readonly sourceDir: string
  /** True on file systems where names that differ in case are the same file. */
  readonly ignoreCase: boolean
}

/** A compiled path pattern. */
export interface PathMatcher {
  /** @param path as {@link resolvePath} takes it: `..` is resolved before anything is compared */
  test(path: string): boolean
  readonly pattern: string
}

/**
 * A path pattern with gitignore meaning below its anchor: `//p` from the root, `~/p` from home, `/p` from the folder
 * of the file that the pattern is written in, `./p` from the working folder, and `p` below the working folder at any
 * depth, as gitignore has it for a name without a slash. A pattern holds for what it names and for everything below;
 * the anchor itself is never matched. There is no negation and no comment: a leading `!` or `#` is part of the name.
 */
export function compilePathPattern(pattern: string, anchors: PathAnchors): PathMatcher {
  const { base, rest } = anchor(pattern, anchors)
  // In a list, the pattern is one pattern: in a string, `ignore` would take a line break for the start of another.
  const rules = ignore({ ignorecase: anchors.ignoreCase }).add([literalEnds(rest)])
  const fold = (name: string) => (anchors.ignoreCase ? name.toLowerCase() : name)
  const root = segments(resolvePath(base, anchors))
  return {
    pattern,
    test(path) {
      const names = segments(resolvePath(path, anchors))
      // By segment, for folding can change the length of a name.
      if (names.length <= root.length || root.some((name, at) => fold(name) !== fold(names[at] ?? ''))) return false
      return rules.ignores(names.slice(root.length).join('/'))
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

/** Takes away what gitignore reads into the ends of a line: negation, comment, and a backslash that escapes nothing. */
function literalEnds(pattern: string): string {
  const start = /^[!#]/.test(pattern) ? `\\${pattern}` : pattern
  const backslashes = /\\*$/.exec(start)?.[0].length ?? 0
  return backslashes % 2 === 1 ? `${start}\\` : start
}

/** The absolute path, with `~`, `.` and `..` resolved by text alone (links are the caller's question). */
export function resolvePath(path: string, anchors: Pick<PathAnchors, 'cwd' | 'home'>): string {
  const absolute =
    path === '~' || path.startsWith('~/')
      ? anchors.home + path.slice(1)
      : path.startsWith('/')
        ? path
        : `${anchors.cwd}/${path}`
  const parts: string[] = []
  for (const part of segments(absolute)) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

function segments(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '')
}
