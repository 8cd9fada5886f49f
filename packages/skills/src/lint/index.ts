/**
 * What is wrong with skills as files (`@ext/skills/lint`), for one of three profiles.
 * @module
 */
export { type LintedSkill, type LintOptions, type LintReport, lintSkills } from './lint.js'
export { LINT_PROFILES, type LintProfile } from './subject.js'
