import type { AgentAction } from '../../config/actions.js'
import type { ActionResult } from '../../protocol/types.js'
import type { Delivery } from '../delivery.js'
import type { ActionHost, HookOf } from './action.js'
import { timed } from './timed.js'
import { ANSWER_FORM, MAX_EVENT, readVerdict, TOO_LARGE, withEvent } from './verdict.js'

/** A definition of its own has a limit of its own. */
const MAX_TURNS = 50

/** Has a sub-agent look into it, whose last message is its verdict. */
export async function runAgent(hook: HookOf<AgentAction>, delivery: Delivery, host: ActionHost): Promise<ActionResult> {
  const { agent, prompt, tools, model } = hook.action
  const { runner } = host.abilities
  const { session, json } = delivery
  // It would ask for another one at its first step, and that one too.
  if (session.origin === 'hook') return { kind: 'skipped', cause: 'inside the agent of a hook', ms: 0 }
  if (!runner) return { kind: 'failed', cause: 'no sub-agents', ms: 0 }
  if (json.length > MAX_EVENT) return { ...TOO_LARGE, ms: 0 }
  const order = {
    session,
    prompt: `${withEvent(prompt, json)}\n\n${ANSWER_FORM}`,
    guards: true,
    ...(agent === undefined ? { maxTurns: MAX_TURNS } : { type: agent }),
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
  }
  const ask = async (signal: AbortSignal) => {
    const { done, text, problem } = await runner.run(order, { signal })
    if (done) return readVerdict(text)
    return {
      kind: 'failed' as const,
      cause: 'the agent did not come to its end',
      ...(problem ? { detail: problem } : {}),
    }
  }
  return timed(hook, delivery, host, ask, 'the agent failed')
}
