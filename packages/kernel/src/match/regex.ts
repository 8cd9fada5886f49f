import { RE2JS } from 're2js'
import { messageOf } from '../errors.js'
import type { Matcher } from './matcher.js'

/** Compiling takes time and memory in proportion to a pattern; those that people write are far shorter. UTF-16 units. */
const MAX_PATTERN = 1000
/** A longer subject matches nothing: even linear time adds up. UTF-16 units. */
export const MAX_SUBJECT: number = 65_536

/**
 * Compiles a regular expression that runs in linear time whatever the input. Look-around and back-references do not
 * exist in it and come back as a problem that says so, as does a pattern of more than 1,000 characters; nothing is
 * thrown. The syntax is that of RE2; the escapes and named groups of JavaScript are understood too. A subject of more
 * than 65,536 characters never matches.
 * @param options.anchored match the whole text instead of any part of it
 */
export function compileRegex(
  pattern: string,
  options: { readonly anchored: boolean },
):
  | { readonly matcher: Matcher; readonly problem?: undefined }
  | { readonly matcher?: undefined; readonly problem: string } {
  if (pattern.length > MAX_PATTERN) {
    return { problem: `the pattern has ${pattern.length} characters, and ${MAX_PATTERN} are the limit` }
  }
  // `\k` is checked before, for RE2 would take it for a plain k. Pairs of backslashes escape nothing behind them.
  if (/\\(?:[1-9]|k<)/.test(pattern.replaceAll('\\\\', ''))) {
    return { problem: 'back-references (\\1, \\k<name>) are not supported: they have no linear-time form' }
  }
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    const matches = options.anchored
      ? (text: string) => compiled.testExact(text)
      : (text: string) => compiled.test(text)
    return { matcher: { test: (text) => text.length <= MAX_SUBJECT && matches(text), text: pattern } }
  } catch (error) {
    if (/\(\?<?[=!]/.test(pattern)) {
      return { problem: 'look-around ((?=, (?!, (?<=, (?<!) is not supported: it has no linear-time form' }
    }
    return { problem: messageOf(error).replace(/\.?$/, '') }
  }
}
