import { createReporter, type Diagnostic, type Source } from '@ext/kernel'
import { MATCH_ALL, type Matcher } from '@ext/kernel/match'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/**
 * The files that a matcher of FileChanged names, as Claude Code has it: literal names split on `|`, in the folder of the
 * session or absolute. They are what is watched.
 */
export function fileNames(matcher: string | undefined): readonly string[] {
  const names = (matcher ?? '').split('|').map((name) => name.trim().replace(/^(?:\.\/)+/, ''))
  return names.filter((name) => name !== '' && name !== '*')
}

/** Fits the paths that end with one of the names. Without a name: every path that another hook has watched. */
export function matchFiles(matcher: string | undefined): Matcher {
  const names = fileNames(matcher)
  if (names.length === 0) return MATCH_ALL
  const test = (path: string) => {
    const plain = path.replaceAll('\\', '/')
    return names.some((name) => plain === name || plain.endsWith(`/${name}`))
  }
  return { text: matcher ?? '', test }
}

/** What such a matcher does not do. */
export function lintFileNames(matcher: string | undefined, source: Source): readonly Diagnostic[] {
  const names = fileNames(matcher)
  if (names.length === 0) {
    const message = 'The hook names no file, so nothing is watched for it; it hears of files that other hooks name.'
    return [report.warning('hooks.matcher.no-file', source, message, { hint: 'Write names, such as .env|.envrc.' })]
  }
  return names.filter(isPattern).map((name) => {
    const message = `Names of files are literal here, so \`${name}\` fits only a file that is called so.`
    return report.warning('hooks.matcher.file-pattern', source, message, { hint: 'Write the names, split with |.' })
  })
}

/** Globs and regular expressions; brackets and dots stand in names as well. */
function isPattern(name: string): boolean {
  return /[*?^$]|\\[.dws]|\.\+|\[.*\]\+/.test(name)
}
