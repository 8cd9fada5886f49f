import { createReporter, isMap, joinPointer } from '@ext/kernel'
import type { Diagnostic, Located, Outcome } from '@ext/kernel/types'
import { diagnosticCodes } from '../../codes.js'
import type { AgentDefinition } from '../definition.js'
import { WITHOUT_EFFECT } from './fields.js'
import type { AgentEntry } from './header.js'
import { readLimits, type ToolContext } from './limits.js'

const report = createReporter(diagnosticCodes)

/**
 * Says what an agent file means. Limits are read here and not in validation, so that an agent whose limits can't be
 * understood still shadows the farther ones of its name: nobody gets in its place what may do more.
 */
export function compileAgent(entry: Located<AgentEntry>, context: ToolContext): Outcome<AgentDefinition> {
  const { name, header, body } = entry.value
  const limits = readLimits(entry, context)
  if (!limits.value) return { diagnostics: limits.diagnostics }
  const prompt = body.trim()
  return {
    value: Object.freeze({
      name,
      description: header.description.trim(),
      prompt,
      ...(header.model === undefined ? {} : { model: header.model.trim() }),
      ...limits.value,
    }),
    diagnostics: [...limits.diagnostics, ...withoutEffect(entry), ...(prompt === '' ? [withoutPrompt(entry)] : [])],
  }
}

function withoutEffect(entry: Located<AgentEntry>): readonly Diagnostic[] {
  return Object.entries(entry.value.header).flatMap(([field, value]) => {
    const idle = Object.hasOwn(WITHOUT_EFFECT, field) ? WITHOUT_EFFECT[field] : undefined
    if (!idle || asksForNothing(value)) return []
    const pointer = joinPointer('', field)
    const message = `\`${field}\` has no effect in this version: ${idle.instead}.`
    const hint = 'Check that the agent does what it should without it.'
    const details = { entry: entry.id, pointer, ...(idle.severity === 'warning' ? { hint } : {}) }
    return [report[idle.severity]('agents.field.no-effect', entry.at(pointer, 'key'), message, details)]
  })
}

/** `background: false` and an empty list of skills are what happens anyway. */
function asksForNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === false || value === null || (isMap(value) && Object.keys(value).length === 0)
}

function withoutPrompt(entry: Located<AgentEntry>): Diagnostic {
  return report.warning(
    'agents.prompt.empty',
    entry.at(),
    'Nothing follows the header, so its system prompt is empty.',
    {
      entry: entry.id,
      hint: 'Write below the header what the agent has to know and do.',
    },
  )
}
