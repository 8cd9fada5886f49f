import { describe, isMap } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import type { ReplyProblem } from './types.js'

/** The rules that an allow wants to be remembered, in the words of the rule language. */
export interface ReadRules {
  readonly rules: readonly string[]
  readonly ignored: readonly string[]
  readonly problem?: ReplyProblem
}

/**
 * Reads `updatedPermissions`: rules as texts, like the `suggestions` of the request, or Claude Code's entries, of which
 * an answer can only be `addRules` with `behavior: allow`.
 */
export function readPermissionUpdates(value: JsonValue): ReadRules {
  if (!Array.isArray(value)) return { rules: [], ignored: [], problem: wrongType(value, 'a list') }
  const rules: string[] = []
  const ignored: string[] = []
  for (const update of value as readonly JsonValue[]) {
    if (typeof update === 'string') {
      rules.push(update)
    } else if (!isMap(update)) {
      return { rules, ignored, problem: wrongType(update, 'a list of rules') }
    } else if (update['type'] !== 'addRules' || update['behavior'] !== 'allow') {
      ignored.push(`\`updatedPermissions\` of ${named(update)}; an answer can only add rules that allow`)
    } else {
      const added = (Array.isArray(update['rules']) ? update['rules'] : [undefined]).map(ruleText)
      const texts = added.filter((text) => text !== undefined)
      if (texts.length < added.length) {
        return { rules, ignored, problem: wrongType(update['rules'], 'a list of {"toolName": …, "ruleContent": …}') }
      }
      rules.push(...texts)
      const { destination = 'session' } = update
      if (destination !== 'session') {
        ignored.push(`\`destination\`, which is ${describe(destination)}; the rules hold for the session`)
      }
    }
  }
  return { rules, ignored }
}

function ruleText(rule: unknown): string | undefined {
  if (!isMap(rule)) return undefined
  const { toolName, ruleContent = null } = rule
  if (typeof toolName !== 'string') return undefined
  if (ruleContent === null) return toolName
  return typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : undefined
}

function named({ type, behavior }: Readonly<Record<string, unknown>>): string {
  return `type ${describe(type)}${behavior === undefined ? '' : ` with behavior ${describe(behavior)}`}`
}

function wrongType(found: unknown, expected: string): ReplyProblem {
  return { cause: 'wrong type of updatedPermissions', detail: `it holds ${describe(found)}; write ${expected}` }
}
