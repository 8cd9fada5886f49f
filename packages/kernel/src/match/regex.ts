import { RE2JS } from 're2js'
import { messageOf } from '../errors.js'

/** A compiled regular expression. */
export interface RegexMatcher {
  test(text: string): boolean
  readonly pattern: string
}

/**
 * Compiles a regular expression that runs in linear time whatever the input. Look-around and back-references do not
 * exist in it and come back as a problem that says so; nothing is thrown. The syntax is that of RE2; the escapes and
 * named groups of JavaScript are understood too.
 * @param options.anchored match the whole text instead of any part of it
 */
export function compileRegex(
  pattern: string,
  options: { readonly anchored: boolean },
):
  | { readonly matcher: RegexMatcher; readonly problem?: undefined }
  | { readonly matcher?: undefined; readonly problem: string } {
  // `\k` is checked before, for RE2 would take it for a plain k. Pairs of backslashes escape nothing behind them.
  if (/\\(?:[1-9]|k<)/.test(pattern.replaceAll('\\\\', ''))) {
    return { problem: 'back-references (\\1, \\k<name>) are not supported: they have no linear-time form' }
  }
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    const test = options.anchored
      ? (text: string) => compiled.matcher(text).matches()
      : (text: string) => compiled.matcher(text).find()
    return { matcher: { test, pattern } }
  } catch (error) {
    if (/\(\?<?[=!]/.test(pattern)) {
      return { problem: 'look-around ((?=, (?!, (?<=, (?<!) is not supported: it has no linear-time form' }
    }
    return { problem: messageOf(error).replace(/\.?$/, '') }
  }
}
