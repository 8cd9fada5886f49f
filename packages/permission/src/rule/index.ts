/**
 * The rule language (`@ext/permission/rule`), usable alone: parse a rule, compile it for a direction, hold it against
 * calls.
 * @module
 */
export { type CompiledRule, compileRule, type RuleContext, type RuleEffect } from './compile.js'
export { matchCall } from './match.js'
export { type ParsedRule, parseRule, type Rule, type RuleProblem } from './parse.js'
export { anchorFolder } from './path.js'
export type { RuleCall } from './reading.js'
export type { RuleTool } from './tools.js'
