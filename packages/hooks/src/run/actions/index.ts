import { messageOf } from '@ext/kernel'
import type { Action } from '../../config/actions.js'
import type { LoadedHook } from '../../match/listeners.js'
import type { ActionOutcome, ActionResult } from '../../protocol/types.js'
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

const TOO_DEEP: ActionOutcome = {
  kind: 'unaskable',
  cause: 'an event that is nested too deep',
  detail: 'it can not be written as JSON',
}

/** Functions get the payload as it is, and a text is for any event. */
function needsJson(action: Action): boolean {
  return action.type !== 'function' && !(action.type === 'prompt' && action.text !== undefined)
}

/** Runs the action of a hook. Never rejects: a port that breaks its promise and does must not cost the other hooks. */
export async function runAction(
  loaded: LoadedHook,
  delivery: Delivery,
  host: ActionHost,
  timeoutMs: number = loaded.value.timeoutMs,
): Promise<ActionResult> {
  const hook = { ...loaded.value, name: loaded.name, timeoutMs }
  // In one step with the start: nothing can change in between.
  const refusal = host.gate.refusal(loaded, delivery.session.cwd)
  if (refusal) return { ...refusal, ms: 0 }
  // The table has for each type the runner of that type.
  const run = RUNNERS[hook.action.type] as ActionRunner<Action>
  if (needsJson(hook.action) && !delivery.isJson) return { ...TOO_DEEP, ms: 0 }
  try {
    return await run(hook, delivery, host)
  } catch (error) {
    return { kind: 'failed', cause: 'cannot start', detail: messageOf(error), ms: 0 }
  }
}
