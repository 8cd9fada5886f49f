import type { SessionRef } from '@ext/kernel/contract'
import type { AgentContext, SessionState } from './run-context.js'
import { Tasks } from './tasks/tasks.js'

/** A conversation that has not begun, with fresh views of hooks, gate and extensions. */
export function openState(agent: AgentContext, ref: SessionRef, prefix: string): SessionState {
  return {
    ref,
    prefix,
    messages: [],
    interceptor: agent.interceptor?.session(ref),
    gate: agent.gate.session(ref),
    extensions: agent.extensions.map((extension) => extension.session(ref)),
    started: false,
    promptAt: 0,
    pending: [],
    tasks: new Tasks(),
    toolbox: undefined,
    system: undefined,
    inEffect: new Set(),
    said: new Set(),
  }
}
