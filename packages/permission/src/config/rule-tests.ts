import { createReporter, type Diagnostic, describe, isMap, joinPointer, type Located } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { CompiledRule } from '../rule/compile.js'
import { matchCall } from '../rule/match.js'
import { isServerRule } from '../rule/server.js'
import { likenessOf, type RuleTool } from '../rule/tools.js'
import type { RuleTests } from './entry.js'

const report = createReporter(diagnosticCodes)

/** Runs the tests that stand beside a rule: one diagnostic for each that fails, at its place. */
export function runRuleTests(
  entry: Pick<Located<unknown>, 'at' | 'id' | 'pointer'>,
  compiled: CompiledRule,
  { match = [], notMatch = [] }: RuleTests,
): readonly Diagnostic[] {
  const { rule } = compiled
  const tool = toolOf(rule.tool)
  const run = (call: unknown, expected: boolean, pointer: string): readonly Diagnostic[] => {
    const input = isMap(call) ? call : inputOf(String(call), compiled)
    const found = input !== undefined && matchCall(compiled, { tool, input })
    if (input !== undefined && found === expected) return []
    const why =
      input === undefined
        ? `\`${rule.tool}\` has no field that a text stands for`
        : `the rule ${found ? 'speaks' : 'does not speak'} about it`
    return [
      report.error('permission.rule.test-failed', entry.at(pointer), `The test ${describe(call)} fails: ${why}.`, {
        entry: entry.id,
        pointer: entry.pointer + pointer,
        hint: input === undefined ? 'Write the whole input, as a map.' : 'Change the rule or its test.',
      }),
    ]
  }
  const at = (list: 'match' | 'notMatch', index: number) => joinPointer(`/tests/${list}`, index)
  return [
    ...match.flatMap((call, index) => run(call, true, at('match', index))),
    ...notMatch.flatMap((call, index) => run(call, false, at('notMatch', index))),
  ]
}

function toolOf(name: string): RuleTool {
  if (!isServerRule(name)) return { name, source: { tool: name } }
  const [, server = '', tool = ''] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  return { name, source: { server, tool } }
}

function inputOf(text: string, { rule, context }: CompiledRule): Readonly<Record<string, unknown>> | undefined {
  const like = likenessOf(rule.tool, context.tools)
  const field = like?.command ?? [like?.path ?? []].flat()[0] ?? like?.url ?? like?.target?.[0]
  if (field === undefined) return undefined
  const isHost = field === like?.url && !text.includes('/')
  return { [field]: isHost ? `https://${text}/` : text }
}
