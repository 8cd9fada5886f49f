import type { Param } from './params.js'
import { knownTool } from './tools.js'

/** A rule as it is written: `Tool` or `Tool(specifier)`. */
export interface Rule {
  readonly text: string
  /** Name of a tool, `mcp__server`, `mcp__server__tool`, or a glob over names. */
  readonly tool: string
  readonly specifier?: string
  /** Of a rule that is written as a map: what the specifier is. Default: what the tool is about. */
  readonly kind?: 'command' | 'path' | 'domain' | 'regex'
  /** Of a rule that is written as a map: fields of the input, each with what it has to be. */
  readonly params?: readonly Param[]
}

/** Why a rule can't be used, and what to write instead. */
export interface RuleProblem {
  readonly problem: string
  readonly hint: string
}

export type ParsedRule =
  | { readonly rule: Rule; readonly problem?: undefined }
  | (RuleProblem & { readonly rule?: undefined })

/** Reads the text of one rule. Never throws. */
export function parseRule(text: string): ParsedRule {
  const written = text.trim()
  if (written === '') return { problem: 'the rule is empty', hint: 'Write a tool name, for example `Read`.' }
  const open = written.indexOf('(')
  const tool = open === -1 ? written : written.slice(0, open)
  if (tool === '') {
    return { problem: 'no tool name stands before the parenthesis', hint: 'Write `Tool(specifier)`.' }
  }
  if (/[\s),'"`]/.test(tool)) {
    return {
      problem: `\`${tool}\` is not a tool name`,
      hint: 'Write one rule per text, as `Tool` or `Tool(specifier)`, without a blank before the parenthesis.',
    }
  }
  if (open === -1) return { rule: { text: written, tool } }
  if (!written.endsWith(')')) {
    return { problem: 'the closing parenthesis is missing', hint: `End the rule with \`)\`: \`${tool}(…)\`.` }
  }
  const specifier = written.slice(open + 1, -1).trim()
  if (specifier === '') {
    return { problem: 'the parentheses are empty', hint: `Write \`${tool}\` for every call of the tool.` }
  }
  if (/\)\s*,\s*[\w*]+\(/.test(specifier) || isFollowedByRule(specifier)) {
    return { problem: 'two rules stand in one text', hint: 'Make each of them an item of the list.' }
  }
  return { rule: { text: written, tool, specifier } }
}

/** Whether a rule for a tool of the rule language follows behind an operator: `Bash(git *)|Bash(npm *)`. */
function isFollowedByRule(specifier: string): boolean {
  const [, tool = ''] = /\)\s*(?:[|;]|\|\||&&|\bor\b)\s*(\w+)\(/.exec(specifier) ?? []
  return tool.startsWith('mcp__') || knownTool(tool) !== undefined
}

/** The one tool that a rule which can't be used speaks of; `undefined` when that is not certain. */
export function toolOfBrokenRule(text: string): string | undefined {
  return /^\s*([A-Za-z_][\w.-]*)\s*\([^()]*\)?\s*$/.exec(text)?.[1]
}
