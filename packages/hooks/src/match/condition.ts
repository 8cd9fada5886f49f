import type { HostPorts, SourceRef } from '@ext/kernel'
import type { ToolEventPayload, ToolTable } from '@ext/kernel/contract'
import { samenessOfNames } from '@ext/kernel/match'
import { anchorFolder, compileRule, matchCall, parseRule, type Rule, type RuleTool } from '@ext/permission/rule'

/** The `if` of a hook: a permission rule that a tool call has to fit. */
export interface Condition {
  /** As written. */
  readonly text: string
  /** Pure and synchronous, so it is decided before anything is started. */
  fits(payload: ToolEventPayload, cwd: string): boolean
}

export interface ConditionContext {
  readonly root: string
  readonly tools: ToolTable
  readonly ports: Pick<HostPorts, 'home' | 'platform'>
}

/**
 * Compiles an `if`. Calls are read as widely as can be: what can't be analysed fits, since a guard that runs too often
 * is noticed and one that is silently passed is not.
 * @returns `problem` with a condition: a part of the rule has no meaning, and it fits every call of its tools; without
 * one: the text is no rule
 */
export function compileCondition(
  text: string,
  source: SourceRef,
  { root, tools, ports }: ConditionContext,
): { readonly condition?: Condition; readonly problem?: string } {
  const { rule, problem } = parseRule(text)
  if (!rule) return { problem }
  const compileFor = (cwd: string) => {
    const anchors = {
      cwd,
      home: ports.home,
      sourceDir: anchorFolder(source) ?? root,
      ...samenessOfNames(ports.platform),
    }
    return { cwd, rule: compileRule(rule satisfies Rule, { effect: 'condition', anchors, tools }) }
  }
  // Relative paths mean something else in another folder. Sessions rarely have different ones.
  let compiled = compileFor(root)
  const condition: Condition = {
    text,
    fits(payload, cwd) {
      if (compiled.cwd !== cwd) compiled = compileFor(cwd)
      return matchCall(compiled.rule, { tool: ruleTool(payload), input: payload.tool_input })
    },
  }
  const meaning = compiled.rule.problem
  return meaning ? { condition, problem: meaning.problem } : { condition }
}

function ruleTool({ tool_name: name, server, server_tool }: ToolEventPayload): RuleTool {
  return { name, source: server === undefined ? { tool: name } : { server, tool: server_tool ?? name } }
}
