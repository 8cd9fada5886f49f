import type { JsonObject, Opinion, ToolEventPayload } from '@ext/kernel/contract'
import { receive } from '../json.js'
import { attributed, fire } from '../lifecycle.js'
import type { RunContext } from '../run-context.js'
import { type Attempt, type Ending, failed } from './attempt.js'
import { checkInput } from './input.js'

/** The change is shown to model and user up to this length; a file's whole content need not be repeated. */
const MAX_SHOWN_INPUT = 2000

export interface Prepared {
  /** Set: the call ends here. */
  readonly ending?: Ending | undefined
  readonly opinion?: Opinion
}

/** PreToolUse: hooks may block the call, replace its input, and have an opinion for the gate. */
export async function prepare(run: RunContext, attempt: Attempt): Promise<Prepared> {
  const result = await fire(run, 'PreToolUse', () => toolPayload(attempt), {
    signal: run.signal,
    callId: attempt.call.id,
    place: attempt.at.place,
    span: attempt.span,
  })
  attempt.told.push(...result.context.map(attributed))
  attempt.stop = result.stop
  const block = result.block ?? result.stop
  if (block) {
    attempt.blockedBy.push(block.by)
    return { ending: failed('blocked', attributed({ by: block.by, text: block.reason })) }
  }
  const opinion = result.opinion ? { opinion: result.opinion } : {}
  const { updatedInput } = result
  if (!updatedInput) return opinion
  return { ending: rewrite(run, attempt, updatedInput, `hook ${updatedInput.by}`), ...opinion }
}

/**
 * Puts another input in the place of the one that the model sent, and tells model and user. It is checked like the first.
 * @param who as the model is told
 * @returns how the call ends if the new input can't be used
 */
export function rewrite(
  run: RunContext,
  attempt: Attempt,
  update: { readonly by: string; readonly input: JsonObject },
  who: string,
): Ending | undefined {
  const change = `input of ${attempt.tool.name} was changed by ${who}`
  const received = receive(update.input)
  const { input, problem } =
    received.problem === undefined
      ? checkInput(run.agent.validator, attempt.tool, received.value)
      : { problem: `The input of ${attempt.tool.name} ${received.problem}.` }
  if (input === undefined) return failed('invalid', `${change} and can no longer be used. ${problem}`)
  attempt.call = Object.freeze({ ...attempt.call, input })
  const json = JSON.stringify(input)
  const shown = json.length > MAX_SHOWN_INPUT ? `${json.slice(0, MAX_SHOWN_INPUT)}…` : json
  attempt.told.push(`${change}: ${shown}`)
  // The `tool_call` event told the user of another input.
  run.emit('notice', { by: update.by, text: `changed the input of ${attempt.tool.name}: ${shown}` })
  return undefined
}

/** What the events around a call have in common. */
export function toolPayload({ tool, call }: Pick<Attempt, 'tool' | 'call'>): ToolEventPayload {
  return {
    tool_name: call.name,
    tool_input: call.input,
    tool_use_id: call.id,
    ...(tool.source.server === undefined ? {} : { server: tool.source.server, server_tool: tool.source.tool }),
  }
}
