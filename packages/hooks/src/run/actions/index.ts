import { messageOf } from '@ext/kernel'
import type { CompiledHook } from '../../compile.js'
import type { Action } from '../../config/actions.js'
import type { ActionResult } from '../../protocol/types.js'
import type { Delivery } from '../delivery.js'
import type { ActionHost, ActionRunner } from './action.js'
import { runAgent } from './agent.js'
import { runCommand } from './command.js'
import { runFunction } from './function.js'
import { runHttp } from './http.js'
import { runPrompt } from './prompt.js'

const RUNNERS: { readonly [T in Action['type']]: ActionRunner<Extract<Action, { type: T }>> } = {
  command: runCommand,
  http: runHttp,
  prompt: runPrompt,
  agent: runAgent,
  function: runFunction,
}

/** Runs the action of a hook. Never rejects: a port that breaks its promise and does must not cost the other hooks. */
export async function runAction(hook: CompiledHook, delivery: Delivery, host: ActionHost): Promise<ActionResult> {
  // The table has for each type the runner of that type.
  const run = RUNNERS[hook.action.type] as ActionRunner<Action>
  try {
    return await run(hook, delivery, host)
  } catch (error) {
    return { kind: 'failed', cause: 'cannot start', detail: messageOf(error), ms: 0 }
  }
}
