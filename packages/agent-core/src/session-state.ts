import type { SessionRef } from '@ext/kernel/contract'
import { extensionsOf, viewsOf } from './host-ports.js'
import type { AgentContext, SessionState } from './run-context.js'
import type { Journal } from './sessions/journal.js'
import type { SessionTotals } from './sessions/restored.js'
import { Tasks } from './tasks/tasks.js'

export const NO_TOTALS: SessionTotals = Object.freeze({ prompts: 0, turns: 0, inputTokens: 0, outputTokens: 0 })

/** A conversation that has not begun, with fresh views of hooks, gate and extensions. */
export function openState(
  agent: AgentContext,
  ref: SessionRef,
  prefix: string,
  { id, journal }: { readonly id: string; readonly journal?: Journal | undefined },
): SessionState {
  return {
    ref,
    prefix,
    messages: [],
    ...viewsOf(agent, ref),
    extensions: extensionsOf(agent, ref),
    firstMode: ref.permissionMode,
    holder: undefined,
    handingOver: undefined,
    views: new Map(),
    started: false,
    promptAt: 0,
    pending: [],
    tasks: new Tasks(journal),
    toolbox: undefined,
    system: undefined,
    instructions: agent.instructions ? undefined : '',
    inEffect: new Set(),
    said: new Set(),
    logId: id,
    journal,
    remarks: [],
    lostTasks: [],
    totals: NO_TOTALS,
    open: undefined,
    unfinished: undefined,
    stop: undefined,
    keptStates: '{}',
    measured: undefined,
  }
}
