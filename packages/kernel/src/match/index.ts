/**
 * Matchers for names, regular expressions and paths (`@ext/kernel/match`): one language for all axes.
 * @module
 */
export { compileNameGlob, type NameMatcher } from './name.js'
export { compilePathPattern, type PathAnchors, type PathMatcher, resolvePath } from './path.js'
export { compileRegex, type RegexMatcher } from './regex.js'
