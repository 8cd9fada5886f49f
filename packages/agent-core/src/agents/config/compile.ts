import { createReporter, describe, isMap, joinPointer } from '@ext/kernel'
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
  const skills = readSkills(entry)
  return {
    value: Object.freeze({
      name,
      description: header.description.trim(),
      prompt,
      ...(header.model === undefined ? {} : { model: header.model.trim() }),
      ...limits.value,
      ...(skills.value ? { skills: skills.value } : {}),
      ...(header['background'] === true ? { background: true } : {}),
      ...(header['handoff'] === true ? { handoff: true } : {}),
    }),
    diagnostics: [
      ...limits.diagnostics,
      ...skills.diagnostics,
      ...withoutEffect(entry),
      ...(prompt === '' ? [withoutPrompt(entry)] : []),
    ],
  }
}

/** Names with commas or as a list. */
function readSkills(entry: Located<AgentEntry>): Outcome<readonly string[]> {
  const { skills } = entry.value.header
  if (asksForNothing(skills) || skills === undefined) return { diagnostics: [] }
  const texts = typeof skills === 'string' ? skills.split(',') : skills
  const names =
    Array.isArray(texts) && texts.every((each) => typeof each === 'string') ? texts.map((each) => each.trim()) : []
  if (names.length > 0 && !names.includes('')) return { value: Object.freeze([...new Set(names)]), diagnostics: [] }
  const message = `\`skills\` is ${describe(skills)}, and can't be read, so the agent begins without them.`
  const details = { entry: entry.id, pointer: '/skills', hint: 'Write names of skills with commas or as a list.' }
  return { diagnostics: [report.warning('agents.skills.unreadable', entry.at('/skills'), message, details)] }
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

/** An empty map of hooks and an empty list are what happens anyway. */
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
