import type { PermissionMode, Tool } from '@ext/kernel/contract'
import { unknownModel } from '../host-ports.js'
import type { AgentContext, RunContext } from '../run-context.js'
import type { Model } from '../types.js'
import type { AgentDefinition } from './definition.js'
import { isStricter } from './modes.js'
import { type AgentProfile, mayReadWith } from './profile.js'
import { mayUseTool } from './tool-list.js'

/** What a definition makes of an agent, whether it works for another one or has the conversation of its session. */
export interface Role {
  readonly profile: AgentProfile | undefined
  readonly mode: PermissionMode
  /** `undefined`: none of its own, or one that nobody knows. */
  readonly model: Model | undefined
  /** Why the host could not say which one it is. */
  readonly modelProblem: string | undefined
  /** What its lists and its profile leave. */
  allows(tool: Tool): boolean
}

/** Who had the work before, whose limits go on to hold. */
export interface RoleBefore {
  readonly mode: PermissionMode
  readonly profile: AgentProfile | undefined
}

export function roleOf(agent: AgentContext, definition: AgentDefinition, before: RoleBefore): Role {
  const profile = definition.profile ?? before.profile
  const mode = modeFor(before.mode, definition, profile)
  const { model, problem } = wantsModel(definition) ? agent.models(definition.model) : {}
  const commandsAreJudged = agent.isGated && mode === 'plan'
  return {
    profile,
    mode,
    model,
    modelProblem: problem,
    allows: (tool) =>
      mayUseTool(definition, tool, agent.toolTable) &&
      (profile === undefined || mayReadWith(tool, agent.toolTable, commandsAreJudged)),
  }
}

/** Says what of a definition does not come true. */
export function sayRole(
  run: Pick<RunContext, 'emit' | 'model'>,
  definition: AgentDefinition,
  { model, modelProblem, mode, profile }: Role,
  who = 'The sub-agent',
): void {
  const { name, permissionMode: wanted } = definition
  if (wantsModel(definition) && !model) {
    const found = modelProblem === undefined ? {} : { problem: modelProblem }
    run.emit('notice', { text: unknownModel(`${who} ${name}`, definition.model, found, run.model) })
  }
  if (profile !== undefined || wanted === undefined || wanted === mode) return
  const text = `${who} ${name} wants the mode ${wanted}, which is not stricter than ${mode}; it keeps ${mode}.`
  run.emit('notice', { text })
}

function wantsModel(definition: AgentDefinition): definition is AgentDefinition & { readonly model: string } {
  return definition.model !== undefined && definition.model !== 'inherit'
}

/** A definition can make the mode stricter, never looser. Who may only read is in the mode in which nothing is changed. */
function modeFor(
  mode: PermissionMode,
  { permissionMode }: AgentDefinition,
  profile: AgentProfile | undefined,
): PermissionMode {
  const wanted = profile === undefined ? permissionMode : 'plan'
  return wanted !== undefined && isStricter(wanted, mode) ? wanted : mode
}
