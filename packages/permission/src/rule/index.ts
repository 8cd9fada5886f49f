/**
 * The rule language (`@ext/permission/rule`), usable alone: parse a rule, compile it for a direction, hold it against
 * calls. Whoever has many rules reads a call once.
 * @module
 */
export {
  type CompiledRule,
  type CompiledRules,
  compileRule,
  compileRules,
  type RuleContext,
  type RuleEffect,
} from './compile.js'
export { allowsReading, matchCall, matchReading } from './match.js'
export { type ParsedRule, parseRule, type Rule, type RuleProblem } from './parse.js'
export { anchorFolder } from './path.js'
export { type CallReading, type ReadingContext, type RuleCall, readCall } from './reading.js'
export type { RuleTool } from './tools.js'
