import { compileGitignore } from './gitignore.js'

/** What a file in the language of `.gitignore` says about what lies below its folder. */
export interface IgnoreFile {
  /**
   * What the last pattern that names the item says. Folders above it are the caller's question: what lies in a folder that
   * is ignored is ignored, whatever a pattern says about it.
   * @param names from the folder of the file down to the item
   */
  verdict(names: readonly string[], isFolder: boolean): 'ignored' | 'kept' | undefined
}

/** Nobody writes that many; a larger file is no list of patterns. */
const MAX_LINES = 10_000
const MAX_PATTERN = 4096

/** Reads a `.gitignore`. A line that can never match says nothing, as in git. */
export function compileIgnoreFile(text: string, options: { readonly ignoreCase: boolean }): IgnoreFile {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/, MAX_LINES)
    .flatMap((line) => {
      if (line === '' || line.startsWith('#') || line.length > MAX_PATTERN) return []
      const kept = line.startsWith('!')
      const pattern = compileGitignore(kept ? line.slice(1) : line, options.ignoreCase)
      return pattern.never === undefined ? [{ pattern, verdict: kept ? ('kept' as const) : ('ignored' as const) }] : []
    })
    .reverse()
  return { verdict: (names, isFolder) => rules.find(({ pattern }) => pattern.isFor(names, isFolder))?.verdict }
}

/** A glob over the paths below a folder. */
export interface FileGlob {
  /** @param names from the folder down to the file */
  test(names: readonly string[]): boolean
  /** Why no file whatever can match, as the end of a sentence. */
  readonly never?: string
}

/** More than a person means. Finding braces takes the square of the length. */
const MAX_GLOB = 1000
const MAX_FORMS = 256

/**
 * A glob for files: the language of `.gitignore`, in which `*.ts` is a file at any depth and `src/*.ts` one in `src`, with
 * `{a,b}` for several forms. It means the file that it names and not what lies below it. Takes time in proportion to the
 * path.
 */
export function compileFileGlob(glob: string, options: { readonly ignoreCase: boolean }): FileGlob {
  if (glob.length > MAX_GLOB) return noFile(`it has ${glob.length} characters, and ${MAX_GLOB} are the limit`)
  const forms = expandBraces(glob)
  if (!forms) return noFile(`its braces stand for more than ${MAX_FORMS} patterns`)
  const patterns = forms.map((form) => compileGitignore(form, options.ignoreCase))
  const usable = patterns.filter(({ never }) => never === undefined)
  const [first] = patterns
  return {
    test: (names) => usable.some((pattern) => pattern.isFor(names, false)),
    ...(usable.length === 0 && first?.never !== undefined ? { never: first.never } : {}),
  }
}

function noFile(never: string): FileGlob {
  return { test: () => false, never }
}

/** All forms of a text with `{a,b}` in it; a brace without a comma or a partner is an ordinary character. */
function expandBraces(text: string): readonly string[] | undefined {
  const queue = [text]
  const forms: string[] = []
  // Each round takes one pair of braces away or adds a form, so the limit holds for both.
  while (queue.length > 0) {
    if (queue.length + forms.length > MAX_FORMS) return undefined
    const next = queue.shift() ?? ''
    const pair = firstPair(next)
    if (!pair) forms.push(next)
    else for (const part of pair.parts) queue.push(next.slice(0, pair.start) + part + next.slice(pair.end + 1))
  }
  return forms
}

/** The first pair of braces with a comma of its own. */
function firstPair(text: string) {
  for (let start = nextOpen(text, 0); start !== -1; start = nextOpen(text, start + 1)) {
    const parts: string[] = []
    let depth = 0
    let from = start + 1
    for (let at = start; at < text.length; at++) {
      const unit = text[at]
      if (unit === '\\') at++
      else if (unit === '{') depth++
      else if (unit === ',' && depth === 1) {
        parts.push(text.slice(from, at))
        from = at + 1
      } else if (unit === '}' && --depth === 0) {
        if (parts.length === 0) break
        return { start, end: at, parts: [...parts, text.slice(from, at)] }
      }
    }
  }
  return undefined
}

function nextOpen(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '{') return at
  }
  return -1
}
