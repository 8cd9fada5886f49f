/**
 * What is wrong with rules although they can be read (`@ext/permission/lint`): rules that never have an effect, say
 * something else than they look like, or open more than they show.
 * @module
 */
export { type LintOptions, type LintReport, lintPermissions } from './lint.js'
export { type RuleTestReport, testRules } from './rule-tests.js'
