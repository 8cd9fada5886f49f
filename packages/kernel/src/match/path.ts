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

export interface PathMatcher {
  /** @param path absolute and normalised, see {@link resolvePath} */
  test(path: string): boolean
  readonly pattern: string
}

/**
 * A path pattern with gitignore meaning below its anchor: `//p` from the root, `~/p` from home, `/p` from the folder
 * of the file that the pattern is written in, `./p` from the working folder, and `p` below the working folder at any
 * depth, as gitignore has it for a name without a slash.
 */
export function compilePathPattern(pattern: string, anchors: PathAnchors): PathMatcher {
  const { base, rest } = anchor(pattern, anchors)
  // `ignore` reads a leading ! as negation and a leading # as a comment; here they are part of a name.
  const escaped = rest.replace(/^[!#]/, '\\$&')
  const rules = ignore({ ignorecase: anchors.ignoreCase }).add(escaped)
  const root = base.endsWith('/') ? base : `${base}/`
  const normalise = (path: string) => (anchors.ignoreCase ? path.toLowerCase() : path)
  return {
    pattern,
    test(path) {
      if (!normalise(path).startsWith(normalise(root))) return false
      const relative = path.slice(root.length)
      return relative !== '' && rules.ignores(relative)
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
  const absolute =
    path === '~' || path.startsWith('~/')
      ? anchors.home + path.slice(1)
      : path.startsWith('/')
        ? path
        : `${anchors.cwd}/${path}`
  const parts: string[] = []
  for (const part of absolute.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
