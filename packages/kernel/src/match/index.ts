/**
 * Matchers for names, regular expressions and paths (`@ext/kernel/match`): one language for all axes.
 * @module
 */
export { compileFileGlob, compileIgnoreFile, type FileGlob, type IgnoreFile } from './ignore-file.js'
export { anyOf, MATCH_ALL, type Matcher, matchNames, not } from './matcher.js'
export { compileNameGlob } from './name.js'
export { compilePathPattern, type PathAnchors, resolvePath, samenessOfNames } from './path.js'
export { compileRegex } from './regex.js'
