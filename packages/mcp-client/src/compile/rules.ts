import type { CompiledServer } from '../compiled.js'
import type { ToolRules } from '../config/entry.js'

/** Says which tools are offered, and why not. */
export function offersOf({ allow, deny }: ToolRules): CompiledServer['offers'] {
  const offered = { offered: true } as const
  return (tool) => {
    if (deny?.test(tool)) return { offered: false, why: `\`tools.deny\` has \`${deny.text}\`` }
    if (allow && !allow.test(tool)) return { offered: false, why: `\`tools.allow\` has only \`${allow.text}\`` }
    return offered
  }
}

/** Says which tools are listed in any case. */
export function alwaysOf({ always }: ToolRules): CompiledServer['always'] {
  return (tool) => always?.test(tool) ?? false
}

/** What configuration says of one tool; that it only reads, as far as the server is trusted. */
export function toolOf(rules: ToolRules, callMs: number, trusted: boolean): CompiledServer['tool'] {
  return (name) => {
    const fitting = rules.perTool.filter(({ tool }) => tool.test(name))
    const ofCall = fitting.findLast((each) => each.callMs !== undefined)?.callMs
    const readOnly = fitting.findLast((each) => each.readOnly !== undefined)?.readOnly
    const counts = readOnly === false || (readOnly === true && trusted)
    return { callMs: ofCall ?? callMs, ...(counts ? { readOnly } : {}) }
  }
}

/** Says which patterns fit none of the tools that there are. */
export function idleRulesOf({ patterns }: ToolRules): CompiledServer['idleRules'] {
  return (tools) =>
    patterns
      .filter(({ tool }) => !tools.some((name) => tool.test(name)))
      .map(({ pointer, tool }) => ({ pointer, text: tool.text }))
}
