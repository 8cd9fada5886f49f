import type { ToolTable } from '@ext/kernel/contract'
import {
  compileRule,
  matchCall,
  parseRule,
  type RuleCall,
  type RuleEffect,
  type RuleTool,
} from '../../src/rule/index.js'
import { CWD, HOME } from '../support.js'

export interface Direction {
  readonly effect: RuleEffect
  readonly ignoreCase?: boolean
  readonly ignoreForm?: boolean
  readonly tools?: ToolTable
  readonly cwd?: string
}

export function compiled(
  text: string,
  { effect, tools = {}, cwd = CWD, ignoreCase = false, ignoreForm = false }: Direction,
) {
  const parsed = parseRule(text)
  if (!parsed.rule) throw new Error(parsed.problem)
  const anchors = { cwd, home: HOME, sourceDir: '/repo/conf', ignoreCase, ignoreForm }
  return compileRule(parsed.rule, { effect, tools, anchors })
}

export function matches(text: string, call: RuleCall, direction: Direction): boolean {
  return matchCall(compiled(text, direction), call)
}

export function plainTool(name: string): RuleTool {
  return { name, source: { tool: name } }
}

export function ofServer(server: string, tool: string): RuleTool {
  return { name: `mcp__${server}__${tool}`, source: { server, tool } }
}

export function command(text: string): RuleCall {
  return { tool: plainTool('Bash'), input: { command: text } }
}

export function file(tool: string, path: string): RuleCall {
  return { tool: plainTool(tool), input: { file_path: path } }
}
